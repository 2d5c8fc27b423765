import type { AgentDefinition, AgentFormat } from "../../agent/agent.ts";
import type { Assignment, Origin } from "../delegation.ts";

/** Finds what changed in a definition. */
export interface ChangeSource {
  /** The files of `definition` that appeared or changed after `since` (epoch milliseconds); absolute. */
  findChanges: (definition: AgentDefinition, since: number) => Promise<readonly string[]>;
}

/** A delegation, with what is known about definitions. */
export interface Known {
  assignment: Assignment;
  /** See `RunSpec.definitionsAsOf`. */
  definitionsAsOf: number;
}

/** Formats whose definitions may name others by their files. */
const formatsWithReferences: ReadonlySet<AgentFormat> = new Set(["recipe", "prompt", "aip"]);

/**
 * Takes from a definition that changed after the family began what a definition may have beyond its caller, who may be the one that
 * changed it: tools of a sub-recipe that the caller does not have, and agents that it may not delegate to.
 *
 * A changed definition that names others by their files may name any file, such as an older one that nobody could call when the family
 * began. So nothing counts as known for its run and all runs below: all code is asked about.
 */
export async function respectChanges(
  { findChanges }: ChangeSource,
  { assignment, definitionsAsOf }: Known,
  origin: Origin | undefined,
): Promise<Known> {
  const { definition, hasToolsBesideParent = false, warnings = [] } = assignment;
  const hasReferences = formatsWithReferences.has(definition.source.format);
  const agents = origin?.spec.agents ?? null;
  const hasMore = hasToolsBesideParent || agents !== null;
  // Most definitions can do nothing more by a change, so that nobody has to look for one.
  if (!hasReferences && !hasMore) return { assignment, definitionsAsOf };
  const changed = await findChanges(definition, definitionsAsOf);
  if (changed.length === 0) return { assignment, definitionsAsOf };
  const known = hasReferences ? 0 : definitionsAsOf;
  if (!hasMore) return { assignment, definitionsAsOf: known };
  const bounded: Assignment = {
    ...assignment,
    definition: { ...definition, ...boundAgents(definition, agents) },
    hasToolsBesideParent: false,
    warnings: [...warnings, describeBounds(definition, changed)],
  };
  return { assignment: bounded, definitionsAsOf: known };
}

function boundAgents(
  { agents: own }: AgentDefinition,
  agents: readonly string[] | null,
): Pick<AgentDefinition, "agents"> {
  if (agents === null) return {};
  return { agents: own === undefined ? agents : own.filter((name) => agents.includes(name)) };
}

function describeBounds({ name }: AgentDefinition, changed: readonly string[]): string {
  return `The agent ${name} changed after its family began (${changed.join(", ")}): it got no tools and agents that its caller does not have.`;
}
