import { type AgentDefinition, defaultTimeoutSeconds } from "../../agent/definition/agent.ts";
import { withRead } from "../../agent/tools/with-read.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { nameGivenModels } from "../../model/given-models.ts";
import type { LibraryAgent } from "../library-agent.ts";

/** Returns the definition of an agent that was given in code. */
export function toDefinition(agent: LibraryAgent): AgentDefinition {
  const shared = { diagnostics: [], lines: {} };
  if (!("run" in agent)) {
    const source = { format: "library", scope: "library", path: null } as const;
    const tools = omitUndefined({ tools: withRead(agent.tools) });
    const { model, fallbacks, ...rest } = agent;
    return {
      timeoutSeconds: defaultTimeoutSeconds,
      ...rest,
      ...nameGivenModels({ model, fallbacks }),
      ...tools,
      source,
      ...shared,
    };
  }
  const { run: _, timeoutSeconds = defaultTimeoutSeconds, ...rest } = agent;
  const source = { format: "program", scope: "library", path: null } as const;
  return { ...rest, systemPrompt: "", timeoutSeconds, source, ...shared };
}
