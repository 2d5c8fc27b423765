import { serverPrefix } from "../../run/server-name.ts";
import { type ToolName, toolNames } from "../../run/tool-names.ts";
import { offeredTools } from "./tool-vocabulary.ts";

/** The tools that start runs. Denying another program's `Agent` or `Task` denies all of them. */
export const delegatingTools: readonly ToolName[] = ["Agent", "Subagent", "sessions_spawn"];

/** The names of the single delegating tool in other programs, in lower case. */
export const delegatingNames: ReadonlySet<string> = new Set(["agent", "task"]);

/**
 * The meaning of a tool name in a definition: tools (several, or none that Cadre offers), every tool, a pattern of MCP tools
 * (`mcp__server__tool`), or unknown.
 */
export type ToolMeaning =
  | { kind: "tools"; tools: readonly string[] }
  | { kind: "mcp"; pattern: string }
  | { kind: "all" }
  | { kind: "unknown" };

/** The words that mean every tool. */
const everyToolNames: ReadonlySet<string> = new Set(["*", "all", "all tools", "inherit"]);

/** Looks up one name of any program, without its `(…)`. The tools `ownTools` of the embedding program take precedence. */
export function resolveToolName(name: string, ownTools: readonly string[] = []): ToolMeaning {
  if (ownTools.includes(name)) return { kind: "tools", tools: [name] };
  if (everyToolNames.has(name.toLowerCase())) return { kind: "all" };
  const tools = offeredTools(name);
  if (tools !== undefined) return { kind: "tools", tools };
  const pattern = mcpPattern(name);
  if (pattern !== undefined) return { kind: "mcp", pattern };
  const family = name.endsWith("_*")
    ? toolNames.filter((known) => known.startsWith(name.slice(0, -1)))
    : [];
  return family.length > 0 ? { kind: "tools", tools: family } : { kind: "unknown" };
}

/** Reports whether an unknown name can be the name of an MCP server. */
export function isServerName(name: string): boolean {
  return /^[A-Za-z][\w.-]*$/.test(name);
}

/** Returns the pattern for all tools of an MCP server, or for one. */
export function mcpToolPattern(server: string, tool = "*"): string {
  return serverPrefix(server) + tool;
}

/** Returns a server's name as part of a tool name, with `_` for every character that tool names do not allow. */
export function toForeignServerName(server: string): string {
  return server.replaceAll(/[^\w-]/g, "_");
}

/** Parses `mcp__server__tool` (Claude Code), `mcp_server_tool` (Gemini CLI) or `server/tool` (Copilot), each with `*`. */
function mcpPattern(name: string): string | undefined {
  if (/^mcp__(\*|[\w.-]+\*|[\w.-]+__[\w.*-]+)$/.test(name)) return name;
  if (/^mcp__[\w.-]+$/.test(name)) return `${name}__*`;
  if (/^mcp_\*$/.test(name)) return "mcp__*";
  const gemini = /^mcp_([A-Za-z0-9.-]+)(?:_([\w.-]*\*?))?$/.exec(name);
  if (gemini?.[1] !== undefined) return mcpToolPattern(gemini[1], gemini[2]);
  const [, server, tool] = /^([\w. /-]+)\/([\w.-]+\*?|\*)$/.exec(name) ?? [];
  return server === undefined ? undefined : mcpToolPattern(server, tool);
}
