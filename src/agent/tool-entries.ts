import { readList } from "./field-readers.ts";
import type { Fields } from "./fields.ts";
import { joinParentheses, splitLoosely } from "./split-list.ts";
import { tooManyTools } from "./tool-finding.ts";
import { resolveToolName } from "./tool-name.ts";

/** One entry of a list of tools, such as `Bash(git:*)`. */
export interface ToolEntry {
  name: string;
  /** What is in the parentheses. */
  pattern: string | null;
  keys: readonly (string | number)[];
}

/** The most entries of a list: each unknown one is compared with every known name. */
const maxEntries = 500;

/** The entries of a list of tools, however it is written; with too many there are none, and an error. */
export function readToolEntries(fields: Fields, name: string): ToolEntry[] {
  const key = fields.written.get(name)?.key ?? name;
  const written = joinParentheses(readList(fields, name) ?? []);
  if (written.length > maxEntries) return refuse(fields, key, written.length);
  const entries = written.flatMap((text, index) =>
    splitWords(text).map((word) => readEntry(word, [key, index])),
  );
  return entries.length > maxEntries ? refuse(fields, key, entries.length) : entries;
}

function refuse(fields: Fields, key: string, count: number): [] {
  fields.report([key], tooManyTools(key, count, maxEntries));
  return [];
}

/** `Read Grep` without commas is two tools, as long as each word names one: a stray `*` or `all` must not mean every tool. */
function splitWords(text: string): string[] {
  const words = splitLoosely(text);
  const areTools = words.every((word) =>
    ["tools", "mcp"].includes(resolveToolName(readEntry(word, []).name).kind),
  );
  return areTools ? words : [text];
}

function readEntry(written: string, keys: ToolEntry["keys"]): ToolEntry {
  // Markdown's marks in a list within a list: `tools: ["- read"]`.
  const bare = written.replace(/^[-•]\s+/, "");
  const text = /^(["'`])(.+)\1$/.exec(bare)?.[2] ?? bare;
  const match = /^([^()]+?)\s*\((.*)\)?$/s.exec(text);
  if (match === null) return { name: text, pattern: null, keys };
  return { name: match[1] ?? "", pattern: (match[2] ?? "").replace(/\)$/, ""), keys };
}
