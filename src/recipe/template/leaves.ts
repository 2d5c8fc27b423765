import type { JsonValue } from "../../source/json.ts";
import { isRecord } from "../../source/json.ts";
import type { KeyPath } from "../../source/position.ts";
import { isTemplate } from "./scan-template.ts";

/** A text of a recipe that is a template. */
export interface TemplateText {
  keys: KeyPath;
  text: string;
}

/** Finds the texts of a recipe that are templates, except those under `parameters`, which are not filled. */
export function findLeaves(value: JsonValue, keys: KeyPath = []): TemplateText[] {
  if (typeof value === "string") return isTemplate(value) ? [{ keys, text: value }] : [];
  const isDeclaration = keys.at(-1) === "parameters" && keys.length <= 2;
  if (isDeclaration || typeof value !== "object" || value === null) return [];
  const entries: [string | number, JsonValue][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  return entries.flatMap(([key, item]) => findLeaves(item, [...keys, key]));
}

/** Returns a copy of `value` with `text` at `keys`. */
export function replaceLeaf(value: JsonValue, [key, ...rest]: KeyPath, text: string): JsonValue {
  if (key === undefined) return text;
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === key ? replaceLeaf(item, rest, text) : item));
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      name === key ? replaceLeaf(item, rest, text) : item,
    ]),
  );
}

/** Returns all texts in a value, without keys. */
export function textsIn(value: JsonValue): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Converts a line of a text whose key is on `keyLine` to a line of the file. A block scalar starts on the line after its key. */
export function lineInLeaf(file: string, keyLine: number, line: number): number {
  const written = file.split("\n")[keyLine - 1] ?? "";
  const isBlock = /[|>][-+0-9]*\s*(#.*)?$/.test(written);
  return keyLine + line - (isBlock ? 0 : 1);
}
