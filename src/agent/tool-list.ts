import { toolNames } from "../run/tool-names.ts";
import { didYouMean } from "../source/nearest.ts";
import { readList, shorten } from "./field-readers.ts";
import type { Fields, Finding } from "./fields.ts";
import { delegatingTools, knownToolNames, resolveToolName } from "./tool-name.ts";

/** What the tool fields of a definition come to. */
export interface ToolChoice {
  tools?: readonly string[];
  disallowedTools?: readonly string[];
  /** From `Agent(x, y)` in `tools`. */
  agents?: readonly string[];
}

/** One entry of a list, such as `Bash(git:*)`. */
interface Entry {
  name: string;
  pattern: string | null;
}

/**
 * What skills and commands call `tools`. In an agent it means the same: passed over, it would give every tool. Nobody
 * spells it like this, so that each spelling in use is reported as not being `tools`.
 */
export const misnamedTools: readonly string[] = ["allowedtools"];

const everyTool = [...toolNames, "mcp__*"];

/** Names that mean delegating as such, in vocabularies that have one tool for it. */
const delegatingNames = new Set(["agent", "task"]);

/**
 * Reads `tools` and `disallowedTools` of any vocabulary. An unknown name is a warning; a `tools` list in which nothing
 * resolves is an error, because "no such tool" must never become "every tool".
 */
export function readToolChoice(fields: Fields): ToolChoice {
  const disallowed = readDisallowed(fields);
  const field = fields.written.get("tools");
  if (field === undefined) return { ...disallowed };
  const { key, value } = field;
  if (value === null || value === "") {
    fields.report([key], emptyTools(key));
    return { tools: [], ...disallowed };
  }
  const written = readList(fields, "tools") ?? [];
  const entries = written.flatMap(splitWords).map(readEntry);
  const tools = new Set<string>();
  const agents = new Set<string>();
  let isAll = false;
  for (const [index, entry] of entries.entries()) {
    const keys = [key, index];
    const isDelegating = delegatingNames.has(entry.name.toLowerCase());
    if (isDelegating && entry.pattern !== null)
      namesIn(entry.pattern).forEach((name) => agents.add(name));
    else if (entry.pattern !== null) fields.report(keys, patternDropped(entry));
    const meaning = resolveToolName(entry.name);
    if (meaning.kind === "all") isAll = true;
    else if (meaning.kind === "mcp") tools.add(meaning.pattern);
    else if (meaning.kind === "unknown") fields.report(keys, unknownTool(entry.name));
    else if (meaning.tools.length === 0) fields.report(keys, notOffered(entry.name));
    else meaning.tools.forEach((tool) => tools.add(tool));
  }
  if (entries.length > 0 && tools.size === 0 && !isAll) fields.report([key], nothingResolves(key));
  return {
    ...(isAll ? {} : { tools: [...tools] }),
    ...(agents.size > 0 ? { agents: [...agents] } : {}),
    ...disallowed,
  };
}

function readDisallowed(fields: Fields): Pick<ToolChoice, "disallowedTools"> {
  const written = readList(fields, "disallowedTools");
  if (written === undefined) return {};
  const key = fields.written.get("disallowedTools")?.key ?? "disallowedTools";
  const denied = new Set<string>();
  for (const [index, entry] of written.flatMap(splitWords).map(readEntry).entries()) {
    const meaning = resolveToolName(entry.name);
    if (entry.pattern !== null) fields.report([key, index], wholeToolDenied(entry));
    if (delegatingNames.has(entry.name.toLowerCase()))
      delegatingTools.forEach((tool) => denied.add(tool));
    else if (meaning.kind === "all") everyTool.forEach((tool) => denied.add(tool));
    else if (meaning.kind === "mcp") denied.add(meaning.pattern);
    else if (meaning.kind === "unknown") fields.report([key, index], unknownTool(entry.name));
    else meaning.tools.forEach((tool) => denied.add(tool));
  }
  return { disallowedTools: [...denied] };
}

/** `Read Grep` without commas is two tools, as long as each word names one: a stray `*` or `all` must not mean every tool. */
function splitWords(text: string): string[] {
  const words = text.split(/[\s;|，、]+/).filter((word) => word !== "");
  const areTools = words.every((word) => ["tools", "mcp"].includes(resolveToolName(word).kind));
  return areTools ? words : [text];
}

function readEntry(written: string): Entry {
  const text = /^(["'`])(.+)\1$/.exec(written)?.[2] ?? written;
  const match = /^([^()]+?)\s*\((.*)\)?$/s.exec(text);
  if (match === null) return { name: text, pattern: null };
  return { name: match[1] ?? "", pattern: (match[2] ?? "").replace(/\)$/, "") };
}

function namesIn(pattern: string): string[] {
  return pattern
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "*");
}

/** An author who wrote `tools:` did not mean to give more than one who wrote nothing would have got. */
function emptyTools(key: string): Finding {
  const message = `\`${key}\` has no value, so the agent has no tools.`;
  const fix = `Write \`${key}: []\` to say so, remove the key for every tool, or name some: \`${key}: Read, Grep\``;
  return { severity: "warning", code: "empty-field", message, fix };
}

function unknownTool(name: string): Finding {
  const hint = didYouMean(name, knownToolNames());
  const message = `\`${shorten(name)}\` is not a tool that is known; it was left out.${hint}`;
  return { severity: "warning", code: "unknown-tool", message, fix: null };
}

function notOffered(name: string): Finding {
  const message = `\`${shorten(name)}\` is a tool of another program that is not offered here; it was left out.`;
  return { severity: "warning", code: "tool-not-offered", message, fix: null };
}

function patternDropped({ name, pattern }: Entry): Finding {
  const message = `\`${name}\` is given whole: the limit \`(${shorten(pattern ?? "")})\` has no effect in a tool list.`;
  const fix = `Limit it by a rule in .cadre/config.yaml: \`permissions: {ask: ["${name}"]}\``;
  return { severity: "warning", code: "tool-pattern", message, fix };
}

function wholeToolDenied({ name, pattern }: Entry): Finding {
  const message = `\`${name}\` is denied whole: \`(${shorten(pattern ?? "")})\` has no effect in a tool list.`;
  const fix = `Deny a part by a rule in .cadre/config.yaml: \`permissions: {deny: ["${name}(${pattern ?? ""})"]}\``;
  return { severity: "warning", code: "tool-pattern", message, fix };
}

function nothingResolves(key: string): Finding {
  const message = `None of the names in \`${key}\` is a tool that is offered here, so the agent would have none.`;
  const fix = `Name tools such as \`${key}: Read, Grep, Glob\`, or write \`${key}: []\` for an agent without tools.`;
  return { severity: "error", code: "no-tools", message, fix };
}
