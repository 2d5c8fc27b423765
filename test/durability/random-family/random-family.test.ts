import { describe, expect, test } from "vitest";
import { isLong } from "../../is-long.ts";
import { createProject, type Kill } from "../killed-project.ts";
import { expectContinuation, expectFinished, type Journal } from "./family-invariants.ts";
import { planFamily } from "./plan-family.ts";
import { createRandom } from "./random.ts";

/** Kills one family a few times; with `npm run test:durability` at least 1,000 times. */
const killsInAll = isLong ? 1000 : 4;
/** Families at once: they wait for their commands most of the time. */
const lanes = isLong ? 3 : 1;

/**
 * The seed of a family executes just that one; `random` explores families that no test has executed yet. Without it the families
 * are the same each time, so that a failure comes from the change that is tested.
 */
const given = process.env["CADRE_FAMILY_SEED"];
const isOne = given !== undefined && given !== "random";
const firstSeed = given === "random" ? Math.floor(Math.random() * 2 ** 31) : Number(given ?? 1);

/** A moment of the next process. Processes are short: a family of some hundred events is killed about twenty times. */
function planKill(random: ReturnType<typeof createRandom>): Kill {
  const events = 1 + random.below(random.chance(0.3) ? 12 : 40);
  return random.chance(0.8)
    ? { afterEvents: events }
    : { nearEvent: events, delayMs: random.below(30) };
}

/** Executes the family of `seed` to its end, with up to `mostKills` kills before. */
async function executeFamily(seed: number, mostKills: number, onKill: () => void): Promise<void> {
  const plan = planFamily(seed);
  const random = createRandom(seed + 1);
  const project = await createProject({
    files: plan.files,
    config: { sandbox: random.chance(0.5) ? "off" : "auto" },
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
  let kills = 0;
  let before: Journal = [];
  try {
    for (;;) {
      const kill = kills < mostKills ? planKill(random) : "never";
      const printed = await project.execute(before.length === 0 ? "start" : "resume", kill);
      const journal = await project.journal();
      expectContinuation(before, journal);
      before = journal;
      if (printed !== null) break;
      kills += 1;
      onKill();
    }
    expectFinished(plan, before, await project.effects());
  } catch (error) {
    throw new Error(`The family of seed ${seed} (CADRE_FAMILY_SEED=${seed}).`, { cause: error });
  } finally {
    await project.remove();
  }
}

/** Counts kills, and reports the count regularly, so that a slow machine does not look like a hanging test. */
function createProgress(): { kills: number; countKill(): void } {
  const start = performance.now();
  const progress = {
    kills: 0,
    countKill(): void {
      progress.kills += 1;
      if (!isLong || progress.kills % 50 !== 0) return;
      const seconds = ((performance.now() - start) / 1000).toFixed(0);
      console.info(`${progress.kills} of ${killsInAll} kills after ${seconds} s`);
    },
  };
  return progress;
}

describe("random families, with every way to start runs,", () => {
  test(
    `repeat nothing and lose nothing, however often they are killed (from seed ${firstSeed})`,
    {
      timeout: 2_400_000,
    },
    async () => {
      const progress = createProgress();
      let seed = firstSeed;
      const lane = async (): Promise<void> => {
        while (progress.kills < killsInAll) {
          const mine = seed;
          seed += 1;
          await executeFamily(mine, isLong ? 60 : killsInAll, progress.countKill);
          if (isOne) return;
        }
      };
      await Promise.all(Array.from({ length: isOne ? 1 : lanes }, lane));
      const { kills } = progress;
      console.info(`Killed ${kills} times: the families of seeds ${firstSeed} to ${seed - 1}.`);
      if (!isOne) expect(kills).toBeGreaterThanOrEqual(killsInAll);
    },
  );
});
