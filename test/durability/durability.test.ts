import { describe, expect, test } from "vitest";
import { isLong } from "../is-long.ts";
import { createPlayedFamily } from "./family.ts";
import { executeWithKills, type KilledFamily } from "./invariants.ts";
import type { Kill } from "./execute-and-kill.ts";
import { startFamilyServer } from "./model-server.ts";

/** The number of events of an uninterrupted execution of the family. */
const lastBoundary = 74;
/** The number of events before its last side effect begins. */
const beforeLastEffect = 70;
const boundaries = Array.from({ length: lastBoundary }, (_, index) => index + 1);
/** The boundaries of the kills: a few; with `npm run test:durability`, every one, and 168 random moments. */
const sampled = isLong ? boundaries : boundaries.filter((boundary) => boundary % 32 === 5);
const effects = isLong ? ["main-1", "a", "c-2", "main-2"] : ["main-1", "c-2"];
const randomTrials = isLong ? 14 : 1;
/** The number of families of a process that is killed at random moments. */
const together = 3;

let kills = 0;

async function withFamilies(
  count: number,
  use: (families: readonly KilledFamily[]) => Promise<void>,
): Promise<void> {
  const families: KilledFamily[] = [];
  try {
    for (let family = 0; family < count; family += 1) {
      const server = await startFamilyServer();
      families.push({ server, project: await createPlayedFamily(server) });
    }
    await use(families);
  } finally {
    for (const { project, server } of families) {
      await project.remove();
      await server.close();
    }
  }
}

/** Kills `count` families of one process at each of the moments. */
async function trial(count: number, ...moments: readonly Kill[]): Promise<void> {
  await withFamilies(count, async (families) => {
    const killed = await executeWithKills(families, moments);
    kills += killed;
  });
}

/** Returns a moment at or shortly after one of the next events. Each of the `together` families has `events`. */
function randomMoment(events: number): { nearEvent: number; delayMs: number } {
  return { nearEvent: Math.floor(Math.random() * events * together), delayMs: Math.random() * 30 };
}

// Several families at once, because a family mostly waits for its commands.
describe("a family killed with SIGKILL and resumed", { timeout: 300_000 }, () => {
  test.concurrent("finishes if it is never killed", async () => {
    await withFamilies(1, async (families) => {
      await executeWithKills(families, []);
      expect(families[0]?.server.asked).toHaveLength(18);
    });
  });

  test.concurrent("is killed at every step boundary", async () => {
    await withFamilies(1, async ([family]) => {
      await family?.project.execute("start", "never");
      const journal = (await family?.project.journal()) ?? [];
      expect(journal.reduce((count, { events }) => count + events.length, 0)).toBe(lastBoundary);
    });
  });

  test.concurrent.each(sampled)(
    "repeats nothing when killed after event %i",
    async (afterEvents) => {
      await trial(1, { afterEvents });
    },
  );

  test.concurrent.each(effects)(
    "does not repeat the command %s that was active when it was killed",
    async (atEffect) => {
      await trial(1, { atEffect });
    },
  );

  test.concurrent.each(Array.from({ length: randomTrials }, (_, index) => index))(
    "repeats nothing when killed twice at random moments (%i)",
    async () => {
      // A resumed family has less work, and may finish before the second kill.
      const first = { ...randomMoment(beforeLastEffect), held: "main-2" };
      await trial(together, first, randomMoment(20));
    },
  );

  test.concurrent.each(Array.from({ length: randomTrials }, (_, index) => index))(
    "repeats nothing when killed at a random moment and again during the resume (%i)",
    async () => {
      const begun = { ...randomMoment(beforeLastEffect), held: "main-2" };
      await trial(together, begun, { afterEvents: 1 + Math.floor(Math.random() * 3) });
    },
  );

  test("was really killed as often as intended", () => {
    expect(kills).toBeGreaterThanOrEqual(
      sampled.length + effects.length + 3 * together * randomTrials,
    );
    if (isLong) expect(kills).toBeGreaterThanOrEqual(200);
  });
});
