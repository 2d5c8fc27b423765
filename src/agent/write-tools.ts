import { relatedTools } from "../run/permission-rule.ts";
import type { PermissionRules } from "../run/permission.ts";
import { type ToolName, toolNames } from "../run/tool-names.ts";
import type { JsonObject } from "../source/json.ts";
import type { AgentDefinition } from "./agent.ts";
import type { WriteContext, WriteField } from "./format-writer.ts";
import { ownValue } from "../source/own-value.ts";

/** How a program calls its tools. */
export interface ToolWords {
  /** Its names for each of Cadre's tools. */
  names: Partial<Record<ToolName, string>>;
  /** Its name for all tools of an MCP server, or for one of them; `null` where it has none. */
  mcp(server: string, tool: string): string | null;
  /** Its name for the tools of all servers. */
  everyMcp?: string;
  /** Names that stand for several of Cadre's tools at once, for lists that have all of them. */
  groups?: readonly (readonly [name: string, members: readonly ToolName[]])[];
}

/** Writes an allow list in another program's words; a tool it does not have is left out and named. */
export function writeToolList(key: string, words: ToolWords): WriteField<readonly string[]> {
  return (_, context) => ({ [key]: translate(wholeTools(context), words, context) });
}

/** The tools of a definition as one list, for formats that have no second list of what is denied. */
function effectiveTools({ tools, disallowedTools = [] }: AgentDefinition): string[] {
  const asked = tools ?? [...toolNames, "mcp__*"];
  return asked.filter((tool) => !disallowedTools.some((pattern) => covers(pattern, tool)));
}

/** The tools for formats without patterns: one that was limited to some is left out, rather than given whole. */
export function wholeTools({ definition, lose }: WriteContext): string[] {
  const limited = limitedTools(definition);
  const tools = effectiveTools(definition);
  const left = tools.filter((tool) => limited.has(tool));
  if (left.length > 0)
    lose(`it has no patterns, so ${left.join(", ")}, limited by some, is left out`);
  return tools.filter((tool) => !limited.has(tool));
}

/** The tools that rules limit to a part, with those that do the same and are limited with them. */
export function limitedTools({ permissions }: AgentDefinition): ReadonlySet<string> {
  const denied = (permissions?.ordered ?? [])
    .filter(({ decision, rule }) => decision === "deny" && !rule.includes("("))
    .map(({ rule }) => rule);
  return new Set([...denied, ...denied.flatMap((tool) => ownValue(relatedTools, tool) ?? [])]);
}

/** A writer of rules for formats that have a list of tools only: what is limited by them is not in it. */
export function writeWithoutLimited(
  write: WriteField<readonly string[]>,
): WriteField<PermissionRules> {
  return (_, context) => {
    context.lose("it has no permission rules");
    const { definition } = context;
    const isUnlisted = definition.tools === undefined && limitedTools(definition).size > 0;
    return isUnlisted ? write([], context) : {};
  };
}

/** The same words for a list of names, in its order. */
function translate(
  tools: readonly string[],
  { names, mcp, everyMcp, groups = [] }: ToolWords,
  { lose }: WriteContext,
): string[] {
  const left = new Set(tools);
  const found: string[] = [];
  for (const [name, members] of groups) {
    if (!members.every((member) => left.has(member))) continue;
    members.forEach((member) => left.delete(member));
    found.push(name);
  }
  const missing: string[] = [];
  for (const tool of left) {
    const [, server, rest] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? [];
    const own = tool === "mcp__*" ? everyMcp : names[tool as ToolName];
    const word = server === undefined || rest === undefined ? own : mcp(server, rest);
    if (word === undefined || word === null) missing.push(tool);
    else found.push(word);
  }
  if (missing.length > 0)
    lose(
      `it has no name for ${missing.join(", ")}, which ${missing.length === 1 ? "was" : "were"} left out`,
    );
  return found;
}

/** What a definition can do to the workspace, by its tools: whether it only reads. */
function onlyReads(definition: AgentDefinition): boolean {
  const tools = effectiveTools(definition);
  return !tools.some(
    (tool) => ["Edit", "Write", "Bash"].includes(tool) || tool.startsWith("mcp__"),
  );
}

/** A writer for formats that have no list of tools: what only reads is at least marked as such. */
export function writeReadOnly(keys: JsonObject): WriteField<readonly string[]> {
  return (_, { definition, lose }) => {
    const isReader = onlyReads(definition) && definition.permissionMode === undefined;
    lose(
      isReader
        ? "it has no list of tools; the agent is marked as read-only instead"
        : "it has no list of tools",
    );
    return isReader ? keys : {};
  };
}

function covers(pattern: string, tool: string): boolean {
  return pattern.endsWith("*") ? tool.startsWith(pattern.slice(0, -1)) : pattern === tool;
}
