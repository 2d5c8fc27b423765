import type { AgentDefinition } from "../agent/agent.ts";
import { CadreError } from "../errors.ts";
import type { Registry } from "../registry/registry.ts";
import type { RunSpec } from "../run/run.ts";

/** The limits of SPEC 2.3 that are checked when a run is asked for. */
export interface DelegationLimits {
  /** Levels of descendants below a root. */
  depth: number;
  /** Children of one run alive at once. */
  children: number;
  /** Runs of a family, the root included, over its whole life. */
  familyRuns: number;
}

/** Counts runs, and says no to one too many. */
export interface Admission {
  /**
   * Counts a new child of `parent` in, before anything is written, so that calls of one message count each other. The
   * returned function says that the child ended.
   *
   * @throws CadreError `depth-exceeded` or `limit-exceeded`.
   */
  admit(parent: RunSpec): Promise<() => void>;
  /** Forgets a family that ended. */
  forget(rootId: string): void;
}

/** The admission to the families of one process. */
export function createAdmission(registry: Registry, limits: DelegationLimits): Admission {
  const alive = new Map<string, number>();
  const families = new Map<string, Promise<{ runs: number }>>();

  /** Counted once; calls of one message must not read the family once each. */
  function countFamily(rootId: string): Promise<{ runs: number }> {
    const known = families.get(rootId);
    if (known !== undefined) return known;
    const counted = registry.family(rootId).then(({ length }) => ({ runs: length }));
    families.set(rootId, counted);
    return counted;
  }

  return {
    async admit(parent) {
      const { id, rootId, agent } = parent;
      if (parent.maxDepth <= 0) throw tooDeep(parent, limits);
      const family = await countFamily(rootId);
      const children = alive.get(id) ?? 0;
      if (children >= limits.children) {
        const message = `Agent ${agent} has ${children} children at work, the most it may have at once (limits.children). Wait for some of them to end, then delegate again.`;
        throw new CadreError("limit-exceeded", message);
      }
      if (family.runs >= limits.familyRuns) {
        const message = `This family has had ${family.runs} runs, the most it may have (limits.familyRuns). Go on without delegating.`;
        throw new CadreError("limit-exceeded", message);
      }
      family.runs += 1;
      alive.set(id, children + 1);
      return () => {
        const left = (alive.get(id) ?? 1) - 1;
        if (left === 0) alive.delete(id);
        else alive.set(id, left);
      };
    },
    forget: (rootId) => void families.delete(rootId),
  };
}

/** How many levels a run may have below it: what is left of its parent's, or less where its definition says so. */
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
      ? `${agent} is at depth ${depth}, the deepest there may be (limits.depth)`
      : `${agent} is limited by a max_depth, its own or an ancestor's`;
  const message = `Subagents cannot create other subagents: ${why}. Do the task yourself.`;
  return new CadreError("depth-exceeded", message);
}
