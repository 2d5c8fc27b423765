import type { AgentDefinition } from "../../agent/agent.ts";

/** Whether a definition may bring code at all. Looks at nothing but the definition, since this is asked of every run. */
export function mayBringCode({
  source,
  retry,
  runner,
  extensions = [],
}: Pick<AgentDefinition, "source" | "retry" | "runner" | "extensions">): boolean {
  if (source.path === null) return false;
  const isCode = source.format === "program" || source.format === "aip";
  const hasChecks = (retry?.checks ?? []).length > 0 || retry?.onFailure !== undefined;
  return isCode || hasChecks || runner !== undefined || extensions.length > 0;
}
