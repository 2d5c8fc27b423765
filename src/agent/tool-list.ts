import { toolNames } from "../run/tool-names.ts";
import type { OrderedRule, PermissionRules } from "../run/permission.ts";
import { readList } from "./field-readers.ts";
import type { Fields } from "./fields.ts";
import {
  emptyTools,
  invalidPattern,
  nothingResolves,
  notOffered,
  unknownTool,
} from "./tool-finding.ts";
import { delegatingTools, resolveToolName } from "./tool-name.ts";
import { limitTools, toToolRules } from "./tool-rule.ts";

/** What the tool fields of a definition come to. */
export interface ToolChoice {
  tools?: readonly string[];
  disallowedTools?: readonly string[];
  /** From `Agent(x, y)` in `tools`. */
  agents?: readonly string[];
  /** From patterns such as `Bash(git:*)`. */
  permissions?: PermissionRules;
}

/** One entry of a list, such as `Bash(git:*)`. */
interface Entry {
  name: string;
  pattern: string | null;
  keys: readonly (string | number)[];
}

/** What a list grants, while it is read. */
interface Grants {
  /** All of them, in the order written. */
  tools: Set<string>;
  /** Those without a limit. */
  whole: Set<string>;
  /** The rules of those with patterns. */
  limited: Map<string, string[]>;
  agents: Set<string>;
  isAll: boolean;
}

/**
 * What skills and commands call `tools`. In an agent it means the same: passed over, it would give every tool. Nobody
 * spells it like this, so that each spelling in use is reported as not being `tools`.
 */
export const misnamedTools: readonly string[] = ["allowedtools"];

/** Every tool there is, for who denies all. */
const everyTool: readonly string[] = [...toolNames, "mcp__*"];

/** Names that mean delegating as such, in vocabularies that have one tool for it. */
const delegatingNames = new Set(["agent", "task"]);

/**
 * Reads `tools` and `disallowedTools` of any vocabulary. An unknown name is a warning; a `tools` list in which nothing
 * resolves is an error, because "no such tool" must never become "every tool". A tool that is given with a pattern is
 * limited to it by permission rules.
 */
export function readToolChoice(fields: Fields): ToolChoice {
  const denied = readDisallowed(fields);
  const allowed = readAllowed(fields);
  const ordered = [...allowed.ordered, ...denied.ordered];
  if (ordered.length > 0) {
    fields.lines.permissions ??= fields.lines.tools ?? fields.lines.disallowedTools ?? 1;
  }
  return {
    ...allowed.choice,
    ...denied.choice,
    ...(ordered.length > 0 ? { permissions: { allow: [], ask: [], deny: [], ordered } } : {}),
  };
}

interface Reading {
  choice: Omit<ToolChoice, "permissions">;
  ordered: readonly OrderedRule[];
}

function readAllowed(fields: Fields): Reading {
  const field = fields.written.get("tools");
  if (field === undefined) return { choice: {}, ordered: [] };
  const { key, value } = field;
  if (value === null || value === "") {
    fields.report([key], emptyTools(key));
    return { choice: { tools: [] }, ordered: [] };
  }
  const entries = readEntries(fields, "tools");
  const grants = noGrants();
  for (const entry of entries) grant(grants, entry, fields);
  const { whole, limited, agents, isAll } = grants;
  for (const tool of whole) limited.delete(tool);
  const tools = [...grants.tools];
  if (entries.length > 0 && tools.length === 0 && !isAll)
    fields.report([key], nothingResolves(key));
  return {
    choice: { ...(isAll ? {} : { tools }), ...(agents.size > 0 ? { agents: [...agents] } : {}) },
    ordered: isAll ? [] : limitTools(limited, whole),
  };
}

function noGrants(): Grants {
  return {
    tools: new Set(),
    whole: new Set(),
    limited: new Map(),
    agents: new Set(),
    isAll: false,
  };
}

function grant(grants: Grants, entry: Entry, fields: Fields): void {
  const { name, pattern, keys } = entry;
  const meaning = resolveToolName(name);
  const isDelegating = delegatingNames.has(name.toLowerCase());
  if (isDelegating && pattern !== null) namesIn(pattern).forEach((one) => grants.agents.add(one));
  if (meaning.kind === "all") grants.isAll = true;
  else if (meaning.kind === "unknown") fields.report(keys, unknownTool(name));
  else if (meaning.kind === "tools" && meaning.tools.length === 0)
    fields.report(keys, notOffered(name));
  else {
    const tools = meaning.kind === "mcp" ? [meaning.pattern] : meaning.tools;
    const limit =
      isDelegating || pattern === null || /^\s*\*{0,2}\s*$/.test(pattern) ? null : pattern;
    for (const tool of tools)
      grantTool(grants, tool, limit === null ? null : toToolRules(tool, limit));
    if (limit !== null && tools.some((tool) => !grants.tools.has(tool)))
      fields.report(keys, invalidPattern(name, limit));
  }
}

/** `rules` are what the tool is limited to; without any that could match, it is not granted. */
function grantTool(grants: Grants, tool: string, rules: readonly string[] | null): void {
  if (rules?.length === 0) return;
  grants.tools.add(tool);
  if (rules === null) grants.whole.add(tool);
  else grants.limited.set(tool, [...(grants.limited.get(tool) ?? []), ...rules]);
}

function readDisallowed(fields: Fields): Reading {
  if (!fields.written.has("disallowedTools")) return { choice: {}, ordered: [] };
  const denied = new Set<string>();
  const ordered: OrderedRule[] = [];
  for (const entry of readEntries(fields, "disallowedTools")) {
    const tools = deniedTools(entry, fields);
    const rules = tools.flatMap((tool) => toToolRules(tool, entry.pattern ?? ""));
    // A limit nobody can understand denies the whole tool.
    if (rules.length === 0) tools.forEach((tool) => denied.add(tool));
    else ordered.push(...rules.map((rule): OrderedRule => ({ decision: "deny", rule })));
  }
  return { choice: { disallowedTools: [...denied] }, ordered };
}

function deniedTools({ name, keys }: Entry, fields: Fields): readonly string[] {
  if (delegatingNames.has(name.toLowerCase())) return delegatingTools;
  const meaning = resolveToolName(name);
  if (meaning.kind === "all") return everyTool;
  if (meaning.kind === "mcp") return [meaning.pattern];
  if (meaning.kind === "tools") return meaning.tools;
  fields.report(keys, unknownTool(name));
  return [];
}

function readEntries(fields: Fields, name: string): Entry[] {
  const key = fields.written.get(name)?.key ?? name;
  const written = readList(fields, name) ?? [];
  return written.flatMap((text, index) =>
    splitWords(text).map((word) => readEntry(word, [key, index])),
  );
}

/** `Read Grep` without commas is two tools, as long as each word names one: a stray `*` or `all` must not mean every tool. */
function splitWords(text: string): string[] {
  const words = text.split(/[\s;|，、]+(?![^(]*\))/).filter((word) => word !== "");
  const areTools = words.every((word) =>
    ["tools", "mcp"].includes(resolveToolName(readEntry(word, []).name).kind),
  );
  return areTools ? words : [text];
}

function readEntry(written: string, keys: Entry["keys"]): Entry {
  // Markdown's marks in a list within a list: `tools: ["- read"]`.
  const bare = written.replace(/^[-•]\s+/, "");
  const text = /^(["'`])(.+)\1$/.exec(bare)?.[2] ?? bare;
  const match = /^([^()]+?)\s*\((.*)\)?$/s.exec(text);
  if (match === null) return { name: text, pattern: null, keys };
  return { name: match[1] ?? "", pattern: (match[2] ?? "").replace(/\)$/, ""), keys };
}

function namesIn(pattern: string): string[] {
  return pattern
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "*");
}
