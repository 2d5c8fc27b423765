import type { PermissionPolicy } from "../../run/permission.ts";
import type { Tool, ToolCallDescription } from "../tool.ts";
import { type AgentMemory, isMemoryFile } from "./agent-memory.ts";

/** The tools with which an agent maintains its memory. */
export const memoryTools: readonly string[] = ["Read", "Write", "Edit"];

/** Reports whether a call reads or changes files of the memory and nothing else. */
export function isMemoryCall(
  tool: string,
  { paths }: Pick<ToolCallDescription, "paths">,
  memory: AgentMemory | undefined,
): boolean {
  if (memory === undefined || !memoryTools.includes(tool) || paths === null) return false;
  return paths.length > 0 && paths.every((path) => isMemoryFile(path, memory));
}

/**
 * Returns the policies for calls in the memory. An agent changes its notes without asking, except in read-only modes. Rules that
 * limit its tools to other files do not apply there; deny and ask rules do.
 */
export function toMemoryPolicies(policies: readonly PermissionPolicy[]): PermissionPolicy[] {
  return policies.map(({ mode, rules, ...level }) => ({
    ...level,
    mode: mode === "plan" || mode === "read-only" ? mode : "auto",
    rules: { ...rules, ordered: [] },
  }));
}

/** Limits a tool to the agent's memory. */
export function limitToMemory(tool: Tool, memory: AgentMemory): Tool {
  return {
    ...tool,
    prepare(input, folders) {
      const call = tool.prepare(input, folders);
      if ("problem" in call || isMemoryCall(tool.name, call, memory)) return call;
      return { problem: `You may use ${tool.name} only for Markdown files in ${memory.folder}.` };
    },
  };
}
