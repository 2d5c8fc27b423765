import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { CadreError } from "../../errors.ts";
import type { RunSpec } from "../../run/run.ts";
import type { Origin } from "../assignment.ts";
import type { Family } from "./family.ts";

/** The limits for new runs. */
export interface DelegationLimits {
  /** Maximum levels of descendants below a root. */
  depth: number;
  /** Maximum running children of one run. Children that wait for dependencies do not count. */
  children: number;
  /** Maximum runs of a family over its whole life, including the root. */
  familyRuns: number;
}

/**
 * Requires that the delegating run may have one more child.
 *
 * @throws CadreError `depth-exceeded` or `limit-exceeded`.
 */
export function checkLimits(origin: Origin, family: Family, limits: DelegationLimits): void {
  const { spec, isPlanned = false } = origin;
  const { id, agent } = spec;
  if (spec.maxDepth <= 0) throw tooDeep(spec, limits);
  const children = family.childrenAtWork(id);
  if (children >= limits.children && !isPlanned) {
    const message = `Agent ${agent} has ${children} active children, the maximum (limits.children). Wait for some of them to end, then delegate again; or let the new run depend on some of them.`;
    throw new CadreError("limit-exceeded", message);
  }
  if (family.runs >= limits.familyRuns) {
    const message = `This family has had ${family.runs} runs, the maximum (limits.familyRuns). Continue without delegating.`;
    throw new CadreError("limit-exceeded", message);
  }
}

/** Returns how many levels a run may have below it: its parent's remaining levels, or fewer if its definition says so. */
export function depthBelow(
  definition: Pick<AgentDefinition, "maxDepth">,
  parent: Pick<RunSpec, "maxDepth"> | undefined,
  limits: Pick<DelegationLimits, "depth">,
): number {
  const left = parent === undefined ? limits.depth : parent.maxDepth - 1;
  return Math.max(0, Math.min(left, definition.maxDepth ?? left));
}

function tooDeep({ agent, depth }: RunSpec, limits: DelegationLimits): CadreError {
  const why =
    depth >= limits.depth
      ? `${agent} is at depth ${depth}, the maximum (limits.depth)`
      : `${agent} is limited by a max_depth, its own or an ancestor's`;
  const message = `Subagents cannot create other subagents: ${why}. Do the task yourself.`;
  return new CadreError("depth-exceeded", message);
}
