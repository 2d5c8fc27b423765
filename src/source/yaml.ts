import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  type ParsedNode,
  type YAMLMap,
} from "yaml";
import type { Diagnostic } from "./diagnostic.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import {
  createLineIndex,
  createPlaceFinder,
  type KeyPath,
  type Place,
  placeKey,
  type PlaceFinder,
} from "./place.ts";

/** The most values one document may have, aliases followed; what stops an alias bomb. */
const maxValues = 20_000;

/** The deepest nesting one document may have. */
const maxDepth = 64;

/** What a YAML text says. */
export interface YamlReading {
  /** `undefined` when the text is empty or not valid. */
  value: JsonValue | undefined;
  /** The place of a key, or of a list's item. */
  placeOf: PlaceFinder;
  /** Errors only; `duplicate-key` is the one kind that leaves a value (the last one wins). */
  diagnostics: Diagnostic[];
}

interface Conversion {
  path: string;
  document: Document.Parsed;
  placeAt: (offset: number) => Place;
  places: Map<string, Place>;
  diagnostics: Diagnostic[];
  /** Anchors in use. */
  referred: ReadonlySet<string>;
  remaining: number;
}

/**
 * Reads YAML (or JSON) that somebody wrote, into plain JSON. Custom tags, alias bombs and deep nesting are errors, and a
 * key such as `__proto__` is a key like any other. `firstLine` is the line of the file that `text` begins on.
 */
export function readYaml(text: string, path: string, firstLine = 1): YamlReading {
  const index = createLineIndex(text);
  const placeAt = (offset: number): Place => {
    const { line, column } = index(offset);
    return { line: line + firstLine - 1, column };
  };
  const places = new Map<string, Place>();
  const placeOf = createPlaceFinder(places, { line: firstLine, column: 1 });
  const diagnostics: Diagnostic[] = [];
  const document = parse(text);
  if (document === null) {
    const at = { line: firstLine, column: 1 };
    diagnostics.push(invalid(path, at, "The YAML is nested too deeply."));
    return { value: undefined, placeOf, diagnostics };
  }
  for (const problem of [...document.errors, ...document.warnings]) {
    diagnostics.push(invalid(path, placeAt(problem.pos[0]), sentence(problem.message)));
  }
  if (diagnostics.length > 0 || document.contents === null) {
    return { value: undefined, placeOf, diagnostics };
  }
  const referred = referredAnchors(document);
  const state = { path, document, placeAt, places, diagnostics, referred, remaining: maxValues };
  const value = convert(document.contents, [], state);
  const isUsable = diagnostics.every((diagnostic) => diagnostic.code === "duplicate-key");
  return { value: isUsable ? value : undefined, placeOf, diagnostics };
}

function parse(text: string): Document.Parsed | null {
  try {
    return parseDocument(text, { prettyErrors: false, logLevel: "silent", uniqueKeys: false });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function convert(node: Node | null, keys: KeyPath, state: Conversion): JsonValue {
  state.remaining -= 1;
  if (node === null) return null;
  if (state.remaining < 0 || keys.length > maxDepth) return refuseSize(node, state);
  refuseUnusedAnchor(node, state);
  if (isAlias(node)) return convertAlias(node, keys, state);
  if (isMap(node)) return convertMap(node as YAMLMap<ParsedNode, ParsedNode | null>, keys, state);
  if (isSeq(node))
    return node.items.map((item, at) => convertItem(item as Node, [...keys, at], state));
  return isScalar(node) ? scalar(node.value, node.source) : null;
}

function convertAlias(alias: Alias, keys: KeyPath, state: Conversion): JsonValue {
  const target = state.remaining > 0 ? alias.resolve(state.document) : undefined;
  if (target !== undefined) return convert(target, keys, state);
  const message = `\`*${alias.source}\` refers to an anchor that is not there; text that begins with \`*\` needs quotes.`;
  state.diagnostics.push(invalid(state.path, placeOfNode(alias, state), message));
  return null;
}

function convertItem(item: Node, keys: KeyPath, state: Conversion): JsonValue {
  remember(item, keys, state);
  return convert(item, keys, state);
}

function convertMap(
  map: YAMLMap<ParsedNode, ParsedNode | null>,
  keys: KeyPath,
  state: Conversion,
): JsonObject {
  const entries = new Map<string, JsonValue>();
  for (const pair of map.items) {
    if (state.remaining < 0) break;
    if (!isScalar(pair.key)) {
      const message = "Expected a key that is plain text, got a list, a map or an alias.";
      state.diagnostics.push(invalid(state.path, placeOfNode(pair.key, state), message));
      continue;
    }
    const key = keyText(pair.key.value);
    if (entries.has(key))
      state.diagnostics.push(duplicate(key, placeOfNode(pair.key, state), state));
    remember(pair.key, [...keys, key], state);
    entries.set(key, convert(pair.value, [...keys, key], state));
  }
  // fromEntries defines keys, it does not assign them: `__proto__` stays an ordinary key.
  return Object.fromEntries(entries);
}

function scalar(value: unknown, source: string | undefined): string | number | boolean | null {
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : (source ?? String(value));
  return null;
}

function keyText(value: unknown): string {
  const text = scalar(value, undefined);
  return text === null ? "" : text.toString();
}

function remember(node: Node, keys: KeyPath, state: Conversion): void {
  const key = placeKey(keys);
  const offset = node.range?.[0];
  if (offset !== undefined) state.places.set(key, state.placeAt(offset));
}

/** An anchor nobody refers to is text that was not quoted, such as `description: &more text`. */
function refuseUnusedAnchor(node: Node, state: Conversion): void {
  const anchor = isScalar(node) ? node.anchor : undefined;
  if (anchor === undefined || state.referred.has(anchor)) return;
  const message = `\`&${anchor}\` is an anchor that nothing refers to; text that begins with \`&\` needs quotes.`;
  state.diagnostics.push(invalid(state.path, placeOfNode(node, state), message));
}

/** The names of all anchors that an alias refers to. */
function referredAnchors(document: Document.Parsed): Set<string> {
  const referred = new Set<string>();
  const pending: unknown[] = [document.contents];
  while (pending.length > 0) {
    const node = pending.pop();
    if (isAlias(node)) referred.add(node.source);
    if (isSeq(node)) for (const item of node.items) pending.push(item);
    if (isMap(node)) for (const pair of node.items) pending.push(pair.key, pair.value);
  }
  return referred;
}

function refuseSize(node: Node, state: Conversion): null {
  const isFirst = state.diagnostics.every((diagnostic) => diagnostic.code !== "yaml-too-large");
  const message = `Expected at most ${maxValues} values nested at most ${maxDepth} deep (aliases are followed), got more.`;
  if (isFirst) {
    const found = invalid(state.path, placeOfNode(node, state), message);
    state.diagnostics.push({ ...found, code: "yaml-too-large" });
  }
  state.remaining = -1;
  return null;
}

function duplicate(key: string, place: Place, state: Conversion): Diagnostic {
  const message = `The key \`${key}\` is written more than once.`;
  const fix = "Keep one of them.";
  const { path } = state;
  return { path, ...place, severity: "error", code: "duplicate-key", message, fix };
}

function placeOfNode(node: Node | null, state: Conversion): Place {
  return state.placeAt(node?.range?.[0] ?? 0);
}

function invalid(path: string, place: Place, message: string): Diagnostic {
  return { path, ...place, severity: "error", code: "yaml-invalid", message, fix: null };
}

function sentence(message: string): string {
  const trimmed = message.trim();
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
