import { type AgentDefinition, defaultTimeoutSeconds } from "../agent/agent.ts";
import type { ProgramAgent } from "../agent/program.ts";
import { autoContext } from "../pipeline/agent/auto-context.ts";
import { codeMap } from "../pipeline/agent/code-map.ts";

/** The programs that Cadre brings along, by name; a definition of the same name takes the place of one. */
export const builtinPrograms: ReadonlyMap<string, ProgramAgent> = new Map(
  [autoContext, codeMap].map((program) => [program.name, program as ProgramAgent]),
);

/** Them as agents. */
export function defineBuiltinPrograms(): AgentDefinition[] {
  return [...builtinPrograms.values()].map(({ name, description, timeoutSeconds }) => ({
    name,
    description,
    systemPrompt: "",
    timeoutSeconds: timeoutSeconds ?? defaultTimeoutSeconds,
    source: { format: "program", scope: "builtin", path: null },
    diagnostics: [],
    lines: {},
  }));
}
