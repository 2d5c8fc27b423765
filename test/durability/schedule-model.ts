import * as fc from "fast-check";

/** A run of a plan. Its name is its index in the plan. */
export interface PlannedRun {
  name: number;
  /** The run that starts it; `null` for one of the first runs. */
  parent: number | null;
  /** Earlier runs of the same parent that it depends on. */
  dependsOn: readonly number[];
  onDependencyError: "fail" | "run";
  sequence: string | undefined;
  /** Whether its parent does not wait for it. */
  isDetached: boolean;
  fails: boolean;
  /** The number of event loop turns for which it works, before it starts its children and after they have ended. */
  turns: number;
}

/** A cancel of the run `name` at the moment when the `after`th run begins. */
export interface PlannedCancel {
  after: number;
  name: number;
}

/** Generates random plans of up to `most` runs, parents before their children. */
export function arbitraryPlan(most: number): fc.Arbitrary<PlannedRun[]> {
  const run = fc.record({
    parent: fc.nat(),
    siblings: fc.nat(),
    onDependencyError: fc.constantFrom("fail" as const, "run" as const),
    sequence: fc.constantFrom(undefined, undefined, "a", "b"),
    isDetached: fc.nat(4).map((value) => value === 0),
    fails: fc.nat(5).map((value) => value === 0),
    turns: fc.nat(2),
  });
  return fc.array(run, { minLength: 1, maxLength: most }).map((drawn) => {
    const plan: PlannedRun[] = [];
    for (const [name, { parent: choice, siblings, sequence, ...rest }] of drawn.entries()) {
      const place = choice % (name + 1);
      const parent = place === name ? null : place;
      const isInSequence = ancestorsOf(plan, parent).some((above) => above.sequence !== undefined);
      // A detached run comes after the sequence of its siblings. Delegations refuse to wait for it there.
      const mayWaitFor = ({ isDetached }: PlannedRun): boolean =>
        !isInSequence || !isDetached || rest.isDetached;
      const earlier = plan.filter((other) => other.parent === parent && mayWaitFor(other));
      const dependsOn = earlier.filter((_, index) => (siblings >> index) % 2 === 1);
      const own = allowedSequence(plan, parent, sequence);
      const names = dependsOn.map((other) => other.name);
      plan.push({ ...rest, name, parent, dependsOn: names, sequence: own });
    }
    return plan;
  });
}

/** Generates a few cancels at random moments. */
export function arbitraryCancels(most: number): fc.Arbitrary<PlannedCancel[]> {
  const cancel = fc.record({ after: fc.integer({ min: 1, max: most }), name: fc.nat(most - 1) });
  return fc.array(cancel, { maxLength: 3 });
}

/** Returns the allowed sequence. Two sequences nested in both orders would wait for each other; delegations refuse that, and the engine relies on it. */
function allowedSequence(
  plan: readonly PlannedRun[],
  parent: number | null,
  wanted: string | undefined,
): string | undefined {
  const outer = ancestorsOf(plan, parent).find(({ sequence }) => sequence !== undefined)?.sequence;
  return outer === undefined || wanted === undefined ? wanted : outer;
}

function ancestorsOf(plan: readonly PlannedRun[], parent: number | null): PlannedRun[] {
  const found: PlannedRun[] = [];
  for (let at = parent === null ? undefined : plan[parent]; at !== undefined;) {
    found.push(at);
    at = at.parent === null ? undefined : plan[at.parent];
  }
  return found;
}

/** The expected end of a run if nothing is cancelled, excluding runs that are never started. */
export type ScheduleOutcome = "succeeded" | "internal" | "dependency-failed";

/** Predicts the end of each run of `plan`: the whole scheduler in a few lines. */
export function predict(plan: readonly PlannedRun[]): Map<number, ScheduleOutcome> {
  const outcomes = new Map<number, ScheduleOutcome>();
  for (const { name, parent, dependsOn, onDependencyError, fails } of plan) {
    // Only a run that began has started its children, even if it fails afterwards.
    if (parent !== null && !hasBegun(outcomes.get(parent))) continue;
    const isBroken = dependsOn.some((other) => outcomes.get(other) !== "succeeded");
    if (isBroken && onDependencyError === "fail") outcomes.set(name, "dependency-failed");
    else outcomes.set(name, fails ? "internal" : "succeeded");
  }
  return outcomes;
}

function hasBegun(outcome: ScheduleOutcome | undefined): boolean {
  return outcome === "succeeded" || outcome === "internal";
}

/** Reports whether two runs of a plan must never overlap. */
export function excludeEachOther(
  plan: readonly PlannedRun[],
  left: PlannedRun,
  right: PlannedRun,
): boolean {
  if (left.sequence === undefined || left.sequence !== right.sequence || left === right) {
    return false;
  }
  const [above, below] = [ancestorsOf(plan, left.parent), ancestorsOf(plan, right.parent)];
  const isSameFamily = (above.at(-1) ?? left) === (below.at(-1) ?? right);
  return isSameFamily && !isInside(plan, left, right) && !isInside(plan, right, left);
}

/** Reports whether every run from `inner` up to `outer` is waited for. */
function isInside(plan: readonly PlannedRun[], inner: PlannedRun, outer: PlannedRun): boolean {
  const path = [inner, ...ancestorsOf(plan, inner.parent)];
  const length = path.indexOf(outer);
  return length > 0 && path.slice(0, length).every(({ isDetached }) => !isDetached);
}
