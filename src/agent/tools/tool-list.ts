// Tool lists of agents: tool names of all programs, and rules that limit tools.

import { toolNames } from "../../run/tool-names.ts";
import { isRecord } from "../../source/json.ts";
import type { OrderedRule } from "../../run/permission.ts";
import type { Fields } from "../fields/fields.ts";
import {
  emptyTools,
  invalidToolPattern,
  negatedTool,
  nothingResolves,
  notOffered,
  readImplied,
  unknownDenied,
  unknownTool,
} from "./tool-finding.ts";
import { joinChoices, type ToolChoice } from "./tool-choice.ts";
import { readToolEntries, type ToolEntry } from "./tool-entries.ts";
import {
  delegatingNames,
  delegatingTools,
  isServerName,
  mcpToolPattern,
  resolveToolName,
  type ToolMeaning,
} from "./tool-name.ts";
import { limitTools, toToolRules } from "./tool-rule.ts";

/** The grants of a list while it is read. */
interface Grants {
  /** All tools, in the order written. */
  tools: Set<string>;
  /** The tools without a limit. */
  whole: Set<string>;
  /** The rules for tools with patterns. */
  limited: Map<string, string[]>;
  agents: Set<string>;
  /** Tools of other programs that Cadre does not offer. */
  notOffered: ToolEntry[];
  /** Unknown names. */
  unknown: ToolEntry[];
  /** The servers that the file configures. */
  servers: ReadonlySet<string>;
  isAll: boolean;
}

/** Returns every tool, for lists that deny all. */
function everyTool({ ownTools }: Fields): readonly string[] {
  return [...toolNames, ...ownTools, "mcp__*"];
}

/**
 * Reads `tools` and `disallowedTools` in the names of any program. An unknown name is a warning, and means the tools of an MCP
 * server with that name. A list without a known name grants nothing: "no such tool" must never become "every tool". Permission
 * rules limit a tool with a pattern.
 */
export function readToolChoice(fields: Fields): ToolChoice {
  return joinChoices(readAllowedTools(fields), readDisallowedTools(fields));
}

/** Reads only `tools`. */
function readAllowedTools(fields: Fields): ToolChoice {
  const field = fields.written.get("tools");
  if (field === undefined) return {};
  const { key, value } = field;
  if (value === null || value === "") {
    fields.report([key], emptyTools(key));
    return { tools: [] };
  }
  const entries = readToolEntries(fields, "tools");
  const [only, ...more] = entries;
  if (more.length === 0 && only?.name.toLowerCase() === "none") return { tools: [] };
  const negated = findNegated(entries);
  if (negated !== undefined) {
    fields.report(negated.keys, negatedTool(key, negated.name));
    return { tools: [] };
  }
  const grants = noGrants(serverNames(fields));
  for (const entry of entries) grant(grants, entry, fields);
  const { whole, limited, agents, isAll } = grants;
  reportNotOffered(fields, grants.notOffered);
  reportUnknown(fields, grants);
  for (const tool of whole) limited.delete(tool);
  if (!isAll) letReadEdited(fields, key, grants);
  const tools = [...grants.tools];
  if (entries.length > 0 && tools.length === 0 && !isAll) {
    const isDoubtful = grants.unknown.length > 0 || grants.notOffered.length < entries.length;
    fields.report([key], nothingResolves(key, isDoubtful));
  }
  return {
    ...(!isAll && { tools }),
    ...(agents.size > 0 && { agents: [...agents] }),
    ...toPermissions(fields, "tools", isAll ? [] : limitTools(limited, whole)),
  };
}

function toPermissions(
  fields: Fields,
  name: string,
  ordered: readonly OrderedRule[],
): Pick<ToolChoice, "permissions"> {
  if (ordered.length === 0) return {};
  fields.lines.permissions ??= fields.lines[name] ?? 1;
  return { permissions: { allow: [], ask: [], deny: [], ordered } };
}

/**
 * Matches `All tools except Edit`, `* (no Bash)` and `*, !Bash`, in which the names after the commas could be granted or denied.
 */
function findNegated(entries: readonly ToolEntry[]): ToolEntry | undefined {
  const isAll = ({ name }: ToolEntry): boolean => resolveToolName(name).kind === "all";
  const hasAll = entries.some(isAll);
  return entries.find(
    (entry) =>
      (entry.pattern !== null && isAll(entry)) ||
      (hasAll && /^[!-]/.test(entry.name)) ||
      /\s(?:except|excluding|without|minus|but)\s/i.test(entry.name),
  );
}

/** Reports all tools that Cadre does not offer in one finding, at the first of them. */
function reportNotOffered(fields: Fields, entries: readonly ToolEntry[]): void {
  const [first] = entries;
  if (first !== undefined) fields.report(first.keys, notOffered(entries.map(({ name }) => name)));
}

function reportUnknown(fields: Fields, { unknown, whole }: Grants): void {
  for (const { name, keys } of unknown) fields.report(keys, unknownTool(name, whole));
}

/** Returns the names of the servers that a file configures. */
function serverNames(fields: Fields): ReadonlySet<string> {
  const value = fields.written.get("extensions")?.value;
  const maps = Array.isArray(value) ? value : [value];
  return new Set(maps.filter((one) => one !== undefined && isRecord(one)).flatMap(Object.keys));
}

/** Adds `Read` to a list with only `Edit`: an edit needs the file to be read, and some programs have one tool for both. */
function letReadEdited(fields: Fields, key: string, { tools, whole, limited }: Grants): void {
  if (!tools.has("Edit") || tools.has("Read")) return;
  tools.add("Read");
  const rules = limited.get("Edit");
  // A tool that searches the text of every file can read it.
  if (rules === undefined || whole.has("Grep")) whole.add("Read");
  else
    limited.set(
      "Read",
      rules.map((rule) => rule.replace(/^Edit/, "Read")),
    );
  fields.report([key], readImplied(key));
}

function noGrants(servers: ReadonlySet<string>): Grants {
  return {
    servers,
    unknown: [],
    tools: new Set(),
    whole: new Set(),
    limited: new Map(),
    agents: new Set(),
    notOffered: [],
    isAll: false,
  };
}

function grant(grants: Grants, entry: ToolEntry, fields: Fields): void {
  const { name, pattern, keys } = entry;
  const meaning = grants.servers.has(name)
    ? toServer(name)
    : resolveToolName(name, fields.ownTools);
  const isDelegating = delegatingNames.has(name.toLowerCase());
  if (isDelegating && pattern !== null) namesIn(pattern).forEach((one) => grants.agents.add(one));
  if (meaning.kind === "all") grants.isAll = true;
  else if (meaning.kind === "unknown") {
    if (isServerName(name) && pattern === null) grants.tools.add(mcpToolPattern(name));
    grants.unknown.push(entry);
  } else if (meaning.kind === "tools" && meaning.tools.length === 0) grants.notOffered.push(entry);
  else {
    const tools = meaning.kind === "mcp" ? [meaning.pattern] : meaning.tools;
    const limit =
      isDelegating || pattern === null || /^\s*\*{0,2}\s*$/.test(pattern) ? null : pattern;
    for (const tool of tools)
      grantTool(grants, tool, limit === null ? null : toToolRules(tool, limit));
    if (limit !== null && tools.some((tool) => !grants.tools.has(tool)))
      fields.report(keys, invalidToolPattern(name, limit));
  }
}

/** Resolves the name of a server that the file configures to that server. */
function toServer(name: string): ToolMeaning {
  return { kind: "mcp", pattern: mcpToolPattern(name) };
}

/** Grants a tool limited by `rules`. Without a rule that could match, the tool is not granted. */
function grantTool(grants: Grants, tool: string, rules: readonly string[] | null): void {
  if (rules?.length === 0) return;
  grants.tools.add(tool);
  if (rules === null) grants.whole.add(tool);
  else grants.limited.set(tool, [...(grants.limited.get(tool) ?? []), ...rules]);
}

/** Reads only `disallowedTools`. */
export function readDisallowedTools(fields: Fields): ToolChoice {
  if (!fields.written.has("disallowedTools")) return {};
  const denied = new Set<string>();
  const ordered: OrderedRule[] = [];
  for (const entry of readToolEntries(fields, "disallowedTools")) {
    const tools = deniedTools(entry, fields);
    const rules = tools.flatMap((tool) => toToolRules(tool, entry.pattern ?? ""));
    // An invalid limit denies the whole tool.
    if (rules.length === 0) tools.forEach((tool) => denied.add(tool));
    else ordered.push(...rules.map((rule): OrderedRule => ({ decision: "deny", rule })));
  }
  return {
    disallowedTools: [...denied],
    ...toPermissions(fields, "disallowedTools", ordered),
  };
}

function deniedTools({ name, keys }: ToolEntry, fields: Fields): readonly string[] {
  if (delegatingNames.has(name.toLowerCase())) return delegatingTools;
  const meaning = resolveToolName(name);
  // Another program may use this name for one of Cadre's tools.
  const own = fields.ownTools.filter((tool) => tool === name);
  if (meaning.kind === "all") return everyTool(fields);
  if (meaning.kind === "mcp") return [meaning.pattern];
  if (meaning.kind === "tools") return [...own, ...meaning.tools];
  if (own.length > 0) return own;
  fields.report(keys, unknownDenied(name, fields.ownTools));
  return isServerName(name) ? [mcpToolPattern(name)] : [];
}

function namesIn(pattern: string): string[] {
  return pattern
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "*");
}
