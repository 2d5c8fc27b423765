import { relatedTools } from "../../run/permission-rule.ts";
import type { PermissionRules } from "../../run/permission.ts";
import { coversTool, type ToolName, toolNames } from "../../run/tool-names.ts";
import type { JsonObject } from "../../source/json.ts";
import type { AgentDefinition } from "../definition/agent.ts";
import type { FormatWriter, WriteContext, WriteField } from "./format-writer.ts";
import { ownValue } from "../../source/own-value.ts";

/** A program's names for tools. */
export interface ToolWords {
  /** The program's name for each of Cadre's tools. */
  names: Partial<Record<ToolName, string>>;
  /** Returns the program's name for a tool of an MCP server, or for all of them with `*`; `null` if it has none. */
  mcp(server: string, tool: string): string | null;
  /** The program's name for the tools of all servers. */
  everyMcp?: string;
  /** Names for groups of Cadre's tools. A list with all tools of a group uses its name. */
  groups?: readonly (readonly [name: string, members: readonly ToolName[]])[];
}

/**
 * Returns the writers of a format whose only restriction is `tools`, an allow list in the program's terms. A tool that the
 * program lacks is left out and reported.
 */
export function writeToolsOnly(
  words: ToolWords,
): Pick<FormatWriter["fields"], "tools" | "disallowedTools" | "permissions"> {
  const write: WriteField<readonly string[]> = (_, context) => ({
    tools: translate(wholeTools(context), words, context),
  });
  return {
    tools: write,
    disallowedTools: (denied, context) =>
      context.definition.tools === undefined && denied.length > 0 ? write([], context) : {},
    permissions: writeWithoutLimited(write),
  };
}

/** Returns the tools of a definition as one list, for formats without a list of denied tools. */
function effectiveTools({ tools, disallowedTools = [] }: AgentDefinition): string[] {
  const asked = tools ?? [...toolNames, "mcp__*"];
  return asked.filter((tool) => !disallowedTools.some((pattern) => coversTool(pattern, tool)));
}

/** Returns the tools for formats without patterns. Leaves out a tool with a limit, because it must not be granted whole. */
export function wholeTools({ definition, lose }: WriteContext): string[] {
  const limited = limitedTools(definition);
  const tools = effectiveTools(definition);
  const left = tools.filter((tool) => limited.has(tool));
  if (left.length > 0)
    lose(`it has no patterns, so ${left.join(", ")}, which patterns limit, is left out`);
  return tools.filter((tool) => !limited.has(tool));
}

/** Returns the tools that rules limit, including the related tools limited with them. */
export function limitedTools({ permissions }: AgentDefinition): ReadonlySet<string> {
  const denied = (permissions?.ordered ?? [])
    .filter(({ decision, rule }) => decision === "deny" && !rule.includes("("))
    .map(({ rule }) => rule);
  return new Set([...denied, ...denied.flatMap((tool) => ownValue(relatedTools, tool) ?? [])]);
}

/** Returns a writer of rules for formats that only have a list of tools. Limited tools are not in that list. */
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

/** Translates names in their order. */
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

/** Reports whether the tools of a definition only read. */
function onlyReads(definition: AgentDefinition): boolean {
  const tools = effectiveTools(definition);
  return !tools.some(
    (tool) => ["Edit", "Write", "Bash"].includes(tool) || tool.startsWith("mcp__"),
  );
}

/** Returns a writer for formats without a list of tools, which at least marks agents that only read. */
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
