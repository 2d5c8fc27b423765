import { agentKindOf } from "../../agent/definition/agent-kind.ts";
import type { AgentDefinition } from "../../agent/definition/agent.ts";

/** Reports whether a definition may bring code along. It reads only the definition, since every run asks. */
export function mayBringCode({
  source,
  retry,
  runner,
  hooks,
  extensions = [],
}: Pick<AgentDefinition, "source" | "retry" | "runner" | "hooks" | "extensions">): boolean {
  if (source.path === null) return false;
  const isCode = agentKindOf(source).code !== null;
  const hasChecks = (retry?.checks ?? []).length > 0 || retry?.onFailure !== undefined;
  return (
    isCode || hasChecks || hooks !== undefined || runner !== undefined || extensions.length > 0
  );
}
