import type { AgentDefinition, AgentFormat } from "../../agent/agent.ts";
import type { Assignment, Origin } from "../delegation.ts";

/** Finds what changed in a definition. */
export interface ChangeSource {
  /** The files of `definition` that appeared or changed after `since` (epoch milliseconds); absolute. */
  findChanges: (definition: AgentDefinition, since: number) => Promise<readonly string[]>;
}

/** Formats whose definitions may name others by their files. */
const formatsWithReferences: ReadonlySet<AgentFormat> = new Set(["recipe", "prompt", "aip"]);

/**
 * What a run of `definition` knows of definitions: as much as its caller. One that changed and names files may name any, also an
 * older one that nobody could call when the family began; so it and all below it know nothing, and all code is asked about.
 */
export function knowledgeOf(
  { source }: AgentDefinition,
  changed: readonly string[],
  definitionsAsOf: number,
): number {
  return changed.length > 0 && formatsWithReferences.has(source.format) ? 0 : definitionsAsOf;
}

/**
 * Takes from a definition that changed after the family began what a definition may have beyond its parent: tools of a sub-recipe
 * that its caller has not, and agents that its caller may not delegate to. Whoever wrote it may have been that caller.
 */
export function boundByParent(
  assignment: Assignment,
  changed: readonly string[],
  origin: Origin | undefined,
): Assignment {
  if (origin === undefined || changed.length === 0) return assignment;
  const { definition, hasToolsBesideParent = false, warnings = [] } = assignment;
  const { agents } = origin.spec;
  if (!hasToolsBesideParent && agents === null) return assignment;
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
