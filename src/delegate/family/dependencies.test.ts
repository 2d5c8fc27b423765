import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { created } from "../../../test/fixtures/run-spec.ts";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import type { CadreError } from "../../errors.ts";
import { openTestRegistry } from "../../../test/fixtures/registry/test-registry.ts";
import { resolveAmongRoots, resolveInFamily } from "./dependencies.ts";
import { createFamily, type Family } from "./family.ts";
import type { FamilyRun } from "./family-run.ts";
import { omitUndefined } from "../../omit-undefined.ts";

function familyRun(given: Partial<FamilyRun> & { id: string }): FamilyRun {
  return { parentId: "t-root", agent: "worker", label: null, dependsOn: [], ...given };
}

function createRoot(): Family {
  const family = createFamily();
  family.add(familyRun({ id: "t-root", parentId: null, agent: "main" }));
  return family;
}

const plain = { label: undefined, sequence: undefined, isDetached: false };

/** The code and the message of the refusal, or the result. */
function resolve(
  family: Family,
  parentId: string,
  given: Partial<Parameters<typeof resolveInFamily>[2]>,
) {
  try {
    return resolveInFamily(family, parentId, { ...plain, names: [], ...given });
  } catch (error) {
    const { code, message } = error as CadreError;
    return `${code}: ${message}`;
  }
}

describe("the names of dependencies", () => {
  test("are ids, the part of an id after its dash, or labels, which refer to the newest run", () => {
    const family = createRoot();
    for (const id of ["t-a", "t-b"]) family.add(familyRun({ id, label: "same" }));
    family.add(familyRun({ id: "t-c", label: "a" }));
    expect(resolve(family, "t-root", { names: ["t-a", "b", "same", "a"] })).toEqual([
      "t-a",
      "t-b",
      "t-b",
      "t-c",
    ]);
  });

  test("may be the label of the new run itself, if an older run has it", () => {
    const family = createRoot();
    expect(resolve(family, "t-root", { names: ["x"], label: "x" })).toMatch(
      /^dependency-cycle: .*x -> x/,
    );
    family.add(familyRun({ id: "t-a", label: "x" }));
    expect(resolve(family, "t-root", { names: ["x"], label: "x" })).toEqual(["t-a"]);
  });

  test("that no run has are refused with the existing names; a withdrawn run does not exist", () => {
    const family = createRoot();
    family.add(familyRun({ id: "t-a", label: "x" }));
    family.add(familyRun({ id: "t-b", label: "x" }));
    family.remove("t-b");
    expect(resolve(family, "t-root", { names: ["x"] })).toEqual(["t-a"]);
    family.remove("t-a");
    expect(resolve(family, "t-root", { names: ["x"] })).toMatch(
      /^dependency-not-found: .*Labels: none/,
    );
  });

  test("of runs without a parent are ids of the whole registry, and labels of runs that this Cadre started", async () => {
    const registry = openTestRegistry({ path: join(temporaryFolder(), "cadre.db") });
    onTestFinished(() => registry.close());
    for (const id of ["t-one", "t-two"]) registry.append(id, created(id));
    await registry.flushed();
    const labels = new Map([["first", "t-one"]]);
    const ask = (...names: string[]) => resolveAmongRoots(registry, labels, { ...plain, names });
    expect(await ask("t-two", "first", "two")).toEqual(["t-two", "t-one", "t-two"]);
    await expect(ask("third")).rejects.toMatchObject({ code: "dependency-not-found" });
  });
});

describe("runs of a sequence", () => {
  const sequence = "s";

  test("wait for each other, so one of them cannot depend on a run that waits for another", () => {
    const family = createRoot();
    family.add(familyRun({ id: "t-a", sequence }));
    family.add(familyRun({ id: "t-b", sequence }));
    const answer = resolve(family, "t-a", { names: ["t-b"] });
    expect(answer).toMatch(
      /^dependency-cycle: .*the new run -> worker \(b\) -> worker \(a\) -> the/,
    );
    expect(resolve(family, "t-b", { names: ["t-a"] })).toEqual(["t-a"]);
  });

  test("are not waited for by their own descendants, nor in another part of the family", () => {
    const family = createRoot();
    family.add(familyRun({ id: "t-a", sequence }));
    family.add(familyRun({ id: "t-in", parentId: "t-a", sequence }));
    family.add(familyRun({ id: "t-deep", parentId: "t-in" }));
    family.add(familyRun({ id: "t-beside", parentId: "t-a" }));
    expect(resolve(family, "t-deep", { names: ["t-beside"], sequence })).toEqual(["t-beside"]);
  });

  test("are refused if the run before them would wait for them forever", () => {
    const family = createRoot();
    family.add(familyRun({ id: "t-a", sequence }));
    family.add(familyRun({ id: "t-p" }));
    family.add(familyRun({ id: "t-c", parentId: "t-a", dependsOn: ["t-p"] }));
    expect(resolve(family, "t-p", { sequence })).toMatch(/^dependency-cycle: .*-> worker \(a\) ->/);
    family.end("t-c");
    expect(resolve(family, "t-p", { sequence })).toEqual([]);
  });
});

/** The expected answers of the family in the simplest form: computed by a search each time. */
interface Reference extends FamilyRun {
  isEnded: boolean;
  entered: number;
}

function waitsFor(all: readonly Reference[], run: Reference): Reference[] {
  const scopeOf = ({ parentId, sequence, detached }: FamilyRun): string | null => {
    if (detached === true) return null;
    const parent = all.find(({ id }) => id === parentId);
    if (parent === undefined || parent.sequence === sequence) return parent?.id ?? null;
    return scopeOf({ ...parent, ...omitUndefined({ sequence }) });
  };
  const isBefore = (other: Reference): boolean =>
    other.sequence === run.sequence &&
    scopeOf(other) === scopeOf(run) &&
    other.entered > 0 &&
    (run.entered === 0 || other.entered < run.entered);
  return all.filter(
    (other) =>
      !other.isEnded &&
      other !== run &&
      (run.dependsOn.includes(other.id) ||
        (other.parentId === run.id && other.detached !== true) ||
        (run.sequence !== undefined && isBefore(other))),
  );
}

/** Reports whether the existing `run` waits for itself. */
function isStuck(all: readonly Reference[], run: Reference): boolean {
  const seen = new Set<Reference>();
  const open = [run];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const other of waitsFor(all, next)) {
      if (other === run) return true;
      if (!seen.has(other)) open.push(other);
      seen.add(other);
    }
  }
  return false;
}

/** Reports whether it has begun: it waits only for its children. */
function isAtWork(all: readonly Reference[], run: Reference): boolean {
  if (run.isEnded || run.entered === 0) return false;
  return waitsFor(all, run).every(({ parentId }) => parentId === run.id);
}

function ancestorsOf(all: readonly Reference[], { parentId }: FamilyRun): string[] {
  const parent = all.find(({ id }) => id === parentId);
  return parent === undefined ? [] : [parent.id, ...ancestorsOf(all, parent)];
}

interface Step {
  label: string | null;
  sequence: string | undefined;
  detached: boolean | undefined;
  parent: number;
  dependsOn: number[];
  byLabel: boolean;
  ends: number;
}

const pick = fc.nat({ max: 1000 });
const step: fc.Arbitrary<Step> = fc.record({
  parent: pick,
  dependsOn: fc.array(pick, { maxLength: 2 }),
  label: fc.constantFrom(null, "x", "y"),
  byLabel: fc.boolean(),
  sequence: fc.constantFrom(undefined, undefined, "s", "t"),
  detached: fc.constantFrom(undefined, undefined, true as const),
  ends: pick,
});

describe("a family", () => {
  test("refuses exactly the runs that would wait for themselves, and finds the newest of a label", () => {
    const outcomes = { accepted: 0, refused: 0 };
    const check = (steps: readonly Step[]): void => {
      const family = createRoot();
      let entries = 1;
      const root = { ...familyRun({ id: "t-root", parentId: null }), isEnded: false, entered: 1 };
      const all: Reference[] = [root];
      for (const [index, given] of steps.entries()) {
        const working = all.filter((one) => isAtWork(all, one));
        const parent = working[given.parent % working.length] ?? root;
        const named = given.dependsOn.map((number) => all[number % all.length] ?? root);
        const isByLabel = (run: Reference): boolean => given.byLabel && run.label !== null;
        const meant = named.map((run) =>
          isByLabel(run) ? all.findLast(({ label }) => label === run.label) : run,
        );
        const { label, sequence, detached } = given;
        const dependsOn = [...new Set(meant.map((run) => run?.id ?? ""))];
        const run: Reference = {
          ...familyRun({ id: `t-${index}`, parentId: parent.id, label, dependsOn }),
          ...omitUndefined({ sequence, detached }),
          isEnded: false,
          entered: 0,
        };
        const isUp = ancestorsOf(all, run).some((id) => dependsOn.includes(id));
        const isRefused = isUp || (detached !== true && isStuck([...all, run], run));
        const names = named.map((one) => (isByLabel(one) ? (one.label ?? "") : one.id));
        const isDetached = detached === true;
        const answer = resolve(family, parent.id, {
          names,
          label: undefined,
          sequence,
          isDetached,
        });
        if (isRefused) {
          outcomes.refused += 1;
          expect(answer).toMatch(/^dependency-cycle/);
        } else {
          outcomes.accepted += 1;
          expect(answer).toEqual(meant.map((one) => one?.id));
          family.add(run);
          all.push(run);
          if (dependsOn.length === 0) {
            entries += 1;
            run.entered = entries;
          }
        }
        // A run that can end does, and releases the runs that waited for it.
        const free = all.filter(
          (one) => one !== root && !one.isEnded && waitsFor(all, one).length === 0,
        );
        const ending =
          given.ends % 3 === 0 ? free[given.ends % Math.max(1, free.length)] : undefined;
        if (ending !== undefined) {
          ending.isEnded = true;
          family.end(ending.id);
        }
        for (const one of all) {
          const isReady = one.dependsOn.every(
            (id) => all.find((other) => other.id === id)?.isEnded,
          );
          if (one.entered > 0 || one.isEnded || !isReady) continue;
          entries += 1;
          one.entered = entries;
          family.dependenciesEnded(one.id);
        }
      }
    };
    fc.assert(fc.property(fc.array(step, { maxLength: 25 }), check), { numRuns: 300 });
    expect(outcomes.refused).toBeGreaterThan(50);
    expect(outcomes.accepted).toBeGreaterThan(500);
  });
});
