import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type ParsedNode,
  type YAMLMap,
} from "yaml";
import type { Diagnostic } from "./diagnostic.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { type KeyPath, type Place, placeKey } from "./place.ts";

/** The most values one document may have, aliases followed; what stops an alias bomb. */
export const maxValues: number = 20_000;

/** The deepest nesting one document may have. */
const maxDepth = 64;

/** A conversion under way. */
export interface Conversion {
  path: string;
  document: Document.Parsed;
  placeAt: (offset: number) => Place;
  places: Map<string, Place>;
  /** How numbers and booleans are written. */
  written: Map<string, string>;
  diagnostics: Diagnostic[];
  /** The node of each anchor, as far as the document was converted: the library's own search takes time for each alias. */
  anchors: Map<string, Node>;
  /** The names of anchors in use. */
  referred: ReadonlySet<string>;
  remaining: number;
}

/** Turns a node into JSON, and remembers the places of its keys; what cannot be turned is a diagnostic. */
export function convertYaml(node: Node | null, keys: KeyPath, state: Conversion): JsonValue {
  state.remaining -= 1;
  if (node === null) return null;
  if (state.remaining < 0 || keys.length > maxDepth) return refuseSize(node, state);
  refuseUnusedAnchor(node, state);
  if (isAlias(node)) return convertAlias(node, keys, state);
  if ("anchor" in node && node.anchor !== undefined) state.anchors.set(node.anchor, node);
  if (isMap(node)) return convertMap(node as YAMLMap<ParsedNode, ParsedNode | null>, keys, state);
  if (isSeq(node))
    return node.items.map((item, at) => convertItem(item as Node, [...keys, at], state));
  if (!isScalar(node)) return null;
  const value = scalar(node.value, node.source);
  const isText = value === null || typeof value === "string";
  if (!isText && node.source !== undefined) state.written.set(placeKey(keys), node.source);
  return value;
}

function convertAlias(alias: Alias, keys: KeyPath, state: Conversion): JsonValue {
  const target = state.anchors.get(alias.source);
  if (target !== undefined) return convertYaml(target, keys, state);
  const message = `\`*${alias.source}\` refers to an anchor that is not there; text that begins with \`*\` needs quotes.`;
  state.diagnostics.push(invalidYaml(state.path, placeOfNode(alias, state), message));
  return null;
}

function convertItem(item: Node, keys: KeyPath, state: Conversion): JsonValue {
  remember(item, keys, state);
  return convertYaml(item, keys, state);
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
      state.diagnostics.push(invalidYaml(state.path, placeOfNode(pair.key, state), message));
      continue;
    }
    const key = keyText(pair.key.value);
    if (entries.has(key))
      state.diagnostics.push(duplicate(key, placeOfNode(pair.key, state), state));
    remember(pair.key, [...keys, key], state);
    entries.set(key, convertYaml(pair.value, [...keys, key], state));
  }
  // fromEntries defines keys, it does not assign them: `__proto__` stays an ordinary key.
  return Object.fromEntries(entries);
}

function scalar(value: unknown, source: string | undefined): string | number | boolean | null {
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return isExact(value, source) ? value : (source ?? String(value));
  return null;
}

/** Twenty digits are an account's number rather than a number that lost some of them. */
function isExact(value: number, source = ""): boolean {
  if (!Number.isFinite(value)) return false;
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(source) || String(value) === source;
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
  state.diagnostics.push(invalidYaml(state.path, placeOfNode(node, state), message));
}

/** The names of all anchors that an alias refers to. */
export function referredAnchors(document: Document.Parsed): Set<string> {
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
    const found = invalidYaml(state.path, placeOfNode(node, state), message);
    state.diagnostics.push({ ...found, code: "yaml-too-large" });
  }
  state.remaining = -1;
  return null;
}

function duplicate(key: string, place: Place, state: Conversion): Diagnostic {
  const message = `The key \`${key}\` is written more than once; the last one was taken.`;
  const fix = "Keep one of them.";
  const { path } = state;
  return { path, ...place, severity: "error", code: "duplicate-key", message, fix };
}

function placeOfNode(node: Node | null, state: Conversion): Place {
  return state.placeAt(node?.range?.[0] ?? 0);
}

/** A place where YAML is not valid. */
export function invalidYaml(path: string, place: Place, message: string): Diagnostic {
  return { path, ...place, severity: "error", code: "yaml-invalid", message, fix: null };
}
