import { agentKindOf } from "../../agent/definition/agent-kind.ts";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { readAgentOptions } from "../../pipeline/agent/options.ts";
import type { AgentConfig } from "../../pipeline/prompt-file/entry.ts";
import type { JsonObject } from "../../source/json.ts";
import { readModelOptions } from "./sub-agent-request.ts";

/** Reports whether an agent is one of Cadre's built-in programs. */
export function isBuiltinProgram({ source }: AgentDefinition): boolean {
  return source.scope === "builtin" && source.format === "program";
}

/**
 * Returns the model that a pipeline's entry names for its agent, as written; `undefined` without one, and for a user's program,
 * which reads its own options.
 */
export function findEntryModel(
  found: AgentDefinition,
  config: AgentConfig,
  params: JsonObject,
): string | undefined {
  if (isBuiltinProgram(found)) {
    const input = { agent_config: config, coder_params: params };
    const { model } = readAgentOptions(input, found.name.replaceAll("-", "_"));
    return typeof model === "string" ? model : undefined;
  }
  const { isProgram, takesAipOptions } = agentKindOf(found.source);
  return isProgram && !takesAipOptions ? undefined : readModelOptions(config).model;
}
