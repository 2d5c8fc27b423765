import { type AgentDefinition, defaultTimeoutSeconds } from "../../agent/definition/agent.ts";
import type { ProgramAgent } from "../../agent/program/program.ts";
import { autoContext } from "../../pipeline/agent/auto-context.ts";
import { codeMap } from "../../pipeline/agent/code-map.ts";

/** The built-in programs by name; a definition of the same name replaces one. */
export const builtinPrograms: ReadonlyMap<string, ProgramAgent> = new Map(
  [autoContext, codeMap].map((program) => [program.name, program as ProgramAgent]),
);

/** Defines them as agents. */
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
