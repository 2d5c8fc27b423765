import type { AgentDefinition } from "../../agent/agent.ts";
import type { Assignment, Origin } from "../delegation.ts";

/** Finds what changed in a definition. */
export interface ChangeSource {
  /** The files of `definition` that appeared or changed after `since` (epoch milliseconds); absolute. */
  findChanges: (definition: AgentDefinition, since: number) => Promise<readonly string[]>;
}

/**
 * Takes from a definition that changed after the family began what a definition may have beyond its parent: tools of a sub-recipe
 * that its caller has not, and agents that its caller may not delegate to. Whoever wrote it may have been that caller.
 */
export async function boundByParent(
  { findChanges }: ChangeSource,
  assignment: Assignment,
  origin: Origin | undefined,
): Promise<Assignment> {
  if (origin === undefined) return assignment;
  const { definition, hasToolsBesideParent = false, warnings = [] } = assignment;
  const { agents, definitionsAsOf = 0 } = origin.spec;
  if (!hasToolsBesideParent && agents === null) return assignment;
  const changed = await findChanges(definition, definitionsAsOf);
  if (changed.length === 0) return assignment;
  const allowed = definition.agents ?? agents;
  const bounded = agents === null ? allowed : allowed?.filter((name) => agents.includes(name));
  const warning = `The agent ${definition.name} changed after its family began (${changed.join(", ")}): it got no tools and agents that its caller does not have.`;
  return {
    ...assignment,
    definition: {
      ...definition,
      ...(bounded !== null && bounded !== undefined && { agents: bounded }),
    },
    hasToolsBesideParent: false,
    warnings: [...warnings, warning],
  };
}
