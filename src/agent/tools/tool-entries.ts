import { isRecord, type JsonValue } from "../../source/json.ts";
import { describeValue } from "../../source/read-value.ts";
import { readList } from "../fields/field-readers.ts";
import type { Fields } from "../fields/fields.ts";
import { joinParentheses, splitLoosely } from "../fields/split-list.ts";
import { notAList, tooManyTools } from "./tool-finding.ts";
import { resolveToolName } from "./tool-name.ts";

/** One entry of a list of tools, such as `Bash(git:*)`. */
export interface ToolEntry {
  name: string;
  /** The text in the parentheses. */
  pattern: string | null;
  keys: readonly (string | number)[];
}

/** The maximum number of entries in a list. Each unknown one is compared with every known name. */
const maxEntries = 500;

/** Returns the entries of a list of tools in any notation. Returns none, with an error, if there are too many. */
export function readToolEntries(fields: Fields, name: string): ToolEntry[] {
  const { key = name, value = null } = fields.written.get(name) ?? {};
  if (isRecord(value) || (Array.isArray(value) && value.some(isRecord))) {
    fields.report([key], notAList(key, describeValue(value), namesIn(value)));
    return [];
  }
  const written = joinParentheses(readList(fields, name) ?? []);
  if (written.length > maxEntries) return refuse(fields, key, written.length);
  const entries = written.flatMap((text, index) =>
    splitWords(text, fields.ownTools).map((word) => readEntry(word, [key, index])),
  );
  return entries.length > maxEntries ? refuse(fields, key, entries.length) : entries;
}

/** Returns the tools that an unsupported map probably names. */
function namesIn(value: JsonValue): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isRecord(value)) return [];
  if (typeof value.name === "string") return value.enabled === false ? [] : [value.name];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (Array.isArray(inner)) return /^(?:den|dis|excl|forb)/i.test(key) ? [] : namesIn(inner);
    return inner === true || inner === "true" || inner === "allow" ? [key] : [];
  });
}

function refuse(fields: Fields, key: string, count: number): [] {
  fields.report([key], tooManyTools(key, count, maxEntries));
  return [];
}

/** Splits `Read Grep`, without commas, if each word names a single tool. A stray `*` or `all` must not mean every tool. */
function splitWords(text: string, ownTools: readonly string[]): string[] {
  const words = splitLoosely(text);
  const areTools = words.every((word) =>
    ["tools", "mcp"].includes(resolveToolName(readEntry(word, []).name, ownTools).kind),
  );
  return areTools ? words : [text];
}

function readEntry(written: string, keys: ToolEntry["keys"]): ToolEntry {
  // Removes the marks of a Markdown list within a list: `tools: ["- read"]`.
  const bare = written.replace(/^[-•]\s+/, "");
  const text = /^(["'`])(.+)\1$/.exec(bare)?.[2] ?? bare;
  const match = /^([^()]+?)\s*\((.*)\)?$/s.exec(text);
  if (match === null) return { name: text, pattern: null, keys };
  return { name: match[1] ?? "", pattern: (match[2] ?? "").replace(/\)$/, ""), keys };
}
