import { serverPrefix } from "../run/server-name.ts";
import { type ToolName, toolNames } from "../run/tool-names.ts";
import { offeredTools } from "./tool-vocabulary.ts";

/** The tools that start runs: who denies a foreign `Agent` or `Task` means all of them. */
export const delegatingTools: readonly ToolName[] = ["Agent", "Subagent", "sessions_spawn"];

/** Names that mean delegating as such, in vocabularies that have one tool for it. Lower case. */
export const delegatingNames: ReadonlySet<string> = new Set(["agent", "task"]);

/**
 * What a tool's name in a definition stands for: Cadre's tools (several, or none that is offered here), every tool, a
 * pattern of MCP tools (`mcp__server__tool`), or nothing that is known.
 */
export type ToolMeaning =
  | { kind: "tools"; tools: readonly ToolName[] }
  | { kind: "mcp"; pattern: string }
  | { kind: "all" }
  | { kind: "unknown" };

/** How people write that an agent has every tool. */
const everyToolNames: ReadonlySet<string> = new Set(["*", "all", "all tools", "inherit"]);

/** Looks up one name of any vocabulary, without its `(…)`. */
export function resolveToolName(name: string): ToolMeaning {
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

/** Whether a name that is no tool's can be that of an MCP server. */
export function isServerName(name: string): boolean {
  return /^[A-Za-z][\w.-]*$/.test(name);
}

/** The pattern for all tools of an MCP server, or for one. */
export function mcpToolPattern(server: string, tool = "*"): string {
  return serverPrefix(server) + tool;
}

/** A server's name as it is in those of its tools: other characters than they may have become `_`. */
export function toServerName(server: string): string {
  return server.replaceAll(/[^\w-]/g, "_");
}

/** `mcp__server__tool` (Claude Code), `mcp_server_tool` (Gemini CLI) or `server/tool` (Copilot), each with `*`. */
function mcpPattern(name: string): string | undefined {
  if (/^mcp__(\*|[\w.-]+\*|[\w.-]+__[\w.*-]+)$/.test(name)) return name;
  if (/^mcp__[\w.-]+$/.test(name)) return `${name}__*`;
  if (/^mcp_\*$/.test(name)) return "mcp__*";
  const gemini = /^mcp_([A-Za-z0-9.-]+)(?:_([\w.-]*\*?))?$/.exec(name);
  if (gemini?.[1] !== undefined) return mcpToolPattern(gemini[1], gemini[2]);
  const [, server, tool] = /^([\w. /-]+)\/([\w.-]+\*?|\*)$/.exec(name) ?? [];
  return server === undefined ? undefined : mcpToolPattern(server, tool);
}
