import type { AgentDefinition, AgentFormat } from "../../agent/definition/agent.ts";
import type { Assignment, Origin } from "../assignment.ts";

/** Finds changes to definitions. */
export interface ChangeSource {
  /** Returns the files of `definition` that appeared or changed after `since` (epoch milliseconds); absolute. */
  findChanges: (definition: AgentDefinition, since: number) => Promise<readonly string[]>;
}

/** A delegation, and the time as of which definitions are known. */
export interface Known {
  assignment: Assignment;
  /** See `RunSpec.definitionsAsOf`. */
  definitionsAsOf: number;
}

/** Formats whose definitions may refer to other files. */
const formatsWithReferences: ReadonlySet<AgentFormat> = new Set(["recipe", "prompt", "aip"]);

/**
 * Restricts a definition that changed after the family started, because its caller may have changed it. Removes a sub-recipe's
 * tools that the caller does not have, and agents to which the caller may not delegate.
 * A changed definition that refers to other files may refer to any file, even an older one that was previously unreachable. Its
 * run and all descendants therefore ask about all code.
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
  // A change gives no rights to most definitions, so their files need no check.
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
  return `The agent ${name} changed after its family began (${changed.join(", ")}), so it got only tools and agents that its caller has.`;
}
