import { describe, expect, test } from "vitest";
import { createProject, type Kill } from "../killed-project.ts";
import { expectContinuation, expectFinished, type Journal } from "./family-invariants.ts";
import { planFamily } from "./plan-family.ts";
import { createRandom } from "./random.ts";

/** Kills one family a few times; with `npm run test:durability` at least 1,000 times. */
const isLong = process.env["CADRE_LONG_TESTS"] === "1";
const killsInAll = isLong ? 1000 : 4;
/** Families at once: they wait for their commands most of the time. */
const lanes = isLong ? 3 : 1;

/** Set to the seed of a family to execute just that one again. */
const given = process.env["CADRE_FAMILY_SEED"];
const firstSeed = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);

/** A moment of the next life of the process. Lives are short: a family of some hundred events is killed some twenty times. */
function planKill(random: ReturnType<typeof createRandom>): Kill {
  const events = 1 + random.below(random.chance(0.3) ? 12 : 40);
  return random.chance(0.8)
    ? { afterEvents: events }
    : { nearEvent: events, delayMs: random.below(30) };
}

/** Executes the family of `seed`, killing it until it has come to its end; returns how often it was killed. */
async function executeFamily(seed: number, mostKills: number): Promise<number> {
  const plan = planFamily(seed);
  const random = createRandom(seed + 1);
  const project = await createProject({
    files: plan.files,
    config: { sandbox: random.chance(0.5) ? "off" : "auto" },
    worker: "random-family/family-worker.ts",
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
    }
    expectFinished(plan, before, await project.effects());
    return kills;
  } catch (error) {
    throw new Error(`The family of seed ${seed} (CADRE_FAMILY_SEED=${seed}).`, { cause: error });
  } finally {
    await project.remove();
  }
}

describe("random families, in which runs are started in every way there is", () => {
  test(
    `do nothing twice and lose nothing, however often they are killed (from seed ${firstSeed})`,
    {
      timeout: 2_400_000,
    },
    async () => {
      let [seed, kills] = [firstSeed, 0];
      const lane = async (): Promise<void> => {
        while (kills < killsInAll) {
          const mine = seed;
          seed += 1;
          kills += await executeFamily(mine, isLong ? 60 : killsInAll);
          if (given !== undefined) return;
        }
      };
      await Promise.all(Array.from({ length: given === undefined ? lanes : 1 }, lane));
      console.info(`Killed ${kills} times: the families of seeds ${firstSeed} to ${seed - 1}.`);
      if (given === undefined) expect(kills).toBeGreaterThanOrEqual(killsInAll);
    },
  );
});
