import { describe, expect, test } from "vitest";
import { isLong } from "../../is-long.ts";
import type { Kill } from "../execute-and-kill.ts";
import { executeTogether } from "../killed-project.ts";
import { createRandomFamily, type RandomFamily } from "./family.ts";
import { createRandom, type Random } from "./random.ts";

/**
 * The number of kills; with `npm run test:durability`, at least 1,000. A kill of a process counts for each of its
 * unfinished families.
 */
const killsInAll = isLong ? 1000 : 4;
/** The number of simultaneous processes. They mostly wait for their commands. */
const lanes = isLong ? 2 : 1;
/** The number of families that a process executes at the same time, because its start takes most of its CPU time. */
const familiesOfProcess = isLong ? 6 : 2;

/**
 * The seed of a family executes only that family; `random` explores families that no test has executed yet. Without it, the
 * families are always the same, so that a failure comes from the tested change.
 */
const given = process.env["CADRE_FAMILY_SEED"];
const isOne = given !== undefined && given !== "random";
const firstSeed = given === "random" ? Math.floor(Math.random() * 2 ** 31) : Number(given ?? 1);

/** Plans a moment in the next process. Processes are short: a family of some hundred events is killed about twenty times. */
function planKill(random: Random, families: number): Kill {
  const events = 1 + random.below((random.chance(0.3) ? 12 : 40) * families);
  return random.chance(0.8)
    ? { afterEvents: events }
    : { nearEvent: events, delayMs: random.below(30) };
}

/** The families of a test and the number of their kills. */
interface Progress {
  kills: number;
  /** The seed of the next family. */
  seed: number;
}

/** Executes families to their ends, several in a process, which is killed repeatedly until there were enough kills. */
async function executeFamilies(progress: Progress, random: Random): Promise<void> {
  let families: RandomFamily[] = [];
  for (;;) {
    const isEnough = progress.kills >= killsInAll;
    // A family that was requested by its seed has no successor.
    const size = isOne ? Number(progress.seed === firstSeed) : familiesOfProcess;
    for (let at = families.length; at < (isEnough ? 0 : size); at += 1) {
      families.push(await createRandomFamily(progress.seed++));
    }
    if (families.length === 0) return;
    const kill = isEnough ? "never" : planKill(random, families.length);
    const works = families.map((family) => family.next());
    const results = await executeTogether(works, kill);
    const left: RandomFamily[] = [];
    for (const [at, family] of families.entries()) {
      const isEnded = results[at] !== null;
      await family.check(isEnded);
      if (isEnded) await family.remove();
      else left.push(family);
    }
    families = left;
    countKills(progress, left.length);
  }
}

const start = performance.now();

/** Reports the count regularly, so that a slow machine does not look like a hanging test. */
function countKills(progress: Progress, more: number): void {
  const reported = Math.floor(progress.kills / 50);
  progress.kills += more;
  if (!isLong || Math.floor(progress.kills / 50) === reported) return;
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  console.info(`${progress.kills} of ${killsInAll} kills after ${seconds} s`);
}

describe("random families, with every way to start runs,", () => {
  test(
    `repeat nothing and lose nothing, however often they are killed (from seed ${firstSeed})`,
    {
      timeout: 2_400_000,
    },
    async () => {
      const progress: Progress = { kills: 0, seed: firstSeed };
      const numbers = Array.from({ length: isOne ? 1 : lanes }, (_, lane) => firstSeed + lane);
      await Promise.all(numbers.map((seed) => executeFamilies(progress, createRandom(seed))));
      const { kills, seed } = progress;
      console.info(`Killed ${kills} times: the families of seeds ${firstSeed} to ${seed - 1}.`);
      if (!isOne) expect(kills).toBeGreaterThanOrEqual(killsInAll);
    },
  );
});
