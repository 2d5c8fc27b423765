import type { Work } from "../execute-and-kill.ts";
import { expectContinuation } from "../expect-continuation.ts";
import { createKillableProject, type ProjectJournals } from "../killed-project.ts";
import { expectFinished } from "./family-invariants.ts";
import { planFamily } from "./plan-family.ts";
import { createRandom } from "./random.ts";

/** A random family in its own project. */
export interface RandomFamily {
  /** Returns the work of the next process: the family from its start, or its remainder after a kill. */
  next(): Work;
  /** Checks that everything durable before the last process is unchanged; if the family `isEnded`, checks the whole family. */
  check(isEnded: boolean): Promise<void>;
  remove(): Promise<void>;
}

/** Creates the family of `seed`. */
export async function createRandomFamily(seed: number): Promise<RandomFamily> {
  const plan = planFamily(seed);
  const isOpen = createRandom(seed + 1).chance(0.5);
  const project = await createKillableProject({
    files: plan.files,
    config: { sandbox: isOpen ? "off" : "auto" },
    execution: {
      options: {
        mode: "auto",
        trust: true,
        model: "scripted:script.json",
        limits: { familyRuns: 1000, children: 1000 },
      },
      start: "graph.yaml" in plan.files ? { graphFile: "graph.yaml" } : { agent: "conduct" },
    },
  });
  let before: ProjectJournals = [];
  return {
    next: () => project.work(before.length === 0 ? "start" : "resume"),
    async check(isEnded) {
      try {
        const journal = await project.journal();
        expectContinuation(before, journal);
        before = journal;
        if (isEnded) expectFinished(plan, journal, await project.effects());
      } catch (cause) {
        throw new Error(`The family of seed ${seed} (CADRE_FAMILY_SEED=${seed}).`, { cause });
      }
    },
    remove: project.remove,
  };
}
