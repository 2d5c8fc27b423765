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
import type { Diagnostic } from "../diagnostic.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { type KeyPath, type Position, positionKey } from "../position.ts";

/** The maximum number of values in a document, including those of aliases. It stops alias bombs. */
export const maxValues: number = 20_000;

/** The maximum nesting of a document. */
const maxDepth = 64;

/** The state of a conversion. */
export interface YamlConversion {
  path: string;
  document: Document.Parsed;
  positionAt: (offset: number) => Position;
  positions: Map<string, Position>;
  /** The written forms of numbers and booleans. */
  written: Map<string, string>;
  diagnostics: Diagnostic[];
  /** The anchors' nodes converted so far. The library's own lookup is slow for many aliases. */
  anchors: Map<string, Node>;
  /** The names of anchors with an alias. */
  referred: ReadonlySet<string>;
  remaining: number;
}

/** Converts a node to JSON and records the positions of its keys. Unsupported content is a diagnostic. */
export function convertYaml(node: Node | null, keys: KeyPath, state: YamlConversion): JsonValue {
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
  if (!isText && node.source !== undefined) state.written.set(positionKey(keys), node.source);
  return value;
}

function convertAlias(alias: Alias, keys: KeyPath, state: YamlConversion): JsonValue {
  const target = state.anchors.get(alias.source);
  if (target !== undefined) return convertYaml(target, keys, state);
  const message = `\`*${alias.source}\` refers to an anchor that does not exist; text that begins with \`*\` needs quotes.`;
  state.diagnostics.push(invalidYaml(state.path, positionOfNode(alias, state), message));
  return null;
}

function convertItem(item: Node, keys: KeyPath, state: YamlConversion): JsonValue {
  remember(item, keys, state);
  return convertYaml(item, keys, state);
}

function convertMap(
  map: YAMLMap<ParsedNode, ParsedNode | null>,
  keys: KeyPath,
  state: YamlConversion,
): JsonObject {
  const entries = new Map<string, JsonValue>();
  for (const pair of map.items) {
    if (state.remaining < 0) break;
    if (!isScalar(pair.key)) {
      const message = "Expected a key that is plain text, got a list, a map or an alias.";
      state.diagnostics.push(invalidYaml(state.path, positionOfNode(pair.key, state), message));
      continue;
    }
    const key = keyText(pair.key.value);
    if (entries.has(key))
      state.diagnostics.push(duplicate(key, positionOfNode(pair.key, state), state));
    remember(pair.key, [...keys, key], state);
    entries.set(key, convertYaml(pair.value, [...keys, key], state));
  }
  // fromEntries defines keys instead of assigning them, so that `__proto__` stays an ordinary key.
  return Object.fromEntries(entries);
}

function scalar(value: unknown, source: string | undefined): string | number | boolean | null {
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return isExact(value, source) ? value : (source ?? String(value));
  return null;
}

/** Reports whether a number kept all its digits. A number of twenty digits is probably an account number, which stays text. */
function isExact(value: number, source = ""): boolean {
  if (!Number.isFinite(value)) return false;
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(source) || String(value) === source;
}

function keyText(value: unknown): string {
  const text = scalar(value, undefined);
  return text === null ? "" : text.toString();
}

function remember(node: Node, keys: KeyPath, state: YamlConversion): void {
  const key = positionKey(keys);
  const offset = node.range?.[0];
  if (offset !== undefined) state.positions.set(key, state.positionAt(offset));
}

/** Refuses an anchor without an alias, which is probably unquoted text, such as `description: &more text`. */
function refuseUnusedAnchor(node: Node, state: YamlConversion): void {
  const anchor = isScalar(node) ? node.anchor : undefined;
  if (anchor === undefined || state.referred.has(anchor)) return;
  const message = `\`&${anchor}\` is an anchor that nothing refers to; text that begins with \`&\` needs quotes.`;
  state.diagnostics.push(invalidYaml(state.path, positionOfNode(node, state), message));
}

/** Returns the names of all anchors with an alias. */
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

function refuseSize(node: Node, state: YamlConversion): null {
  const isFirst = state.diagnostics.every((diagnostic) => diagnostic.code !== "yaml-too-large");
  const message = `Expected at most ${maxValues} values nested at most ${maxDepth} deep (aliases are followed), got more.`;
  if (isFirst) {
    const found = invalidYaml(state.path, positionOfNode(node, state), message);
    state.diagnostics.push({ ...found, code: "yaml-too-large" });
  }
  state.remaining = -1;
  return null;
}

function duplicate(key: string, position: Position, state: YamlConversion): Diagnostic {
  const message = `The key \`${key}\` is written more than once; the last one was taken.`;
  const fix = "Keep one of them.";
  const { path } = state;
  return { path, ...position, severity: "error", code: "duplicate-key", message, fix };
}

function positionOfNode(node: Node | null, state: YamlConversion): Position {
  return state.positionAt(node?.range?.[0] ?? 0);
}

/** Creates the finding about invalid YAML at a position. */
export function invalidYaml(path: string, position: Position, message: string): Diagnostic {
  return { path, ...position, severity: "error", code: "yaml-invalid", message, fix: null };
}
