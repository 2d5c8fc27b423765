import { describe, expect, test } from "vitest";
import { isLong } from "../is-long.ts";
import { createFamily } from "./family.ts";
import { executeWithKills } from "./invariants.ts";
import type { Kill } from "./execute-and-kill.ts";
import type { Project } from "./killed-project.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";

/** The events that an uninterrupted execution of the family has. */
const lastBoundary = 74;
/** Those before its last side effect begins. */
const beforeLastEffect = 70;
const boundaries = Array.from({ length: lastBoundary }, (_, index) => index + 1);
/** Kills at a few boundaries; with `npm run test:durability` at every one, and 164 times at random moments. */
const sampled = isLong ? boundaries : boundaries.filter((boundary) => boundary % 32 === 5);
const effects = isLong ? ["main-1", "a", "c-2", "main-2"] : ["main-1", "c-2"];
const randomTrials = isLong ? 41 : 1;

let kills = 0;

async function withProject(
  use: (project: Project, server: ModelServer) => Promise<void>,
): Promise<void> {
  const server = await startModelServer();
  const project = await createFamily(server);
  try {
    await use(project, server);
  } finally {
    await project.remove();
    await server.close();
  }
}

async function trial(...moments: readonly Kill[]): Promise<void> {
  await withProject(async (project, server) => {
    const killed = await executeWithKills(project, server, moments);
    kills += killed;
  });
}

/** A moment at or shortly after one of the next `events` events. */
function randomMoment(events: number): { nearEvent: number; delayMs: number } {
  return { nearEvent: Math.floor(Math.random() * events), delayMs: Math.random() * 30 };
}

// Several at once, because a family mostly waits for its commands.
describe("a family killed with SIGKILL and resumed", { timeout: 300_000 }, () => {
  test.concurrent("finishes if it is never killed", async () => {
    await withProject(async (project, server) => {
      await executeWithKills(project, server, []);
      expect(server.asked).toHaveLength(18);
    });
  });

  test.concurrent("is killed at every step boundary", async () => {
    await withProject(async (project) => {
      await project.execute("start", "never");
      const journal = await project.journal();
      expect(journal.reduce((count, { events }) => count + events.length, 0)).toBe(lastBoundary);
    });
  });

  test.concurrent.each(sampled)(
    "repeats nothing when killed after event %i",
    async (afterEvents) => {
      await trial({ afterEvents });
    },
  );

  test.concurrent.each(effects)(
    "does not repeat the command %s that was active when it was killed",
    async (atEffect) => {
      await trial({ atEffect });
    },
  );

  test.concurrent.each(Array.from({ length: randomTrials }, (_, index) => index))(
    "repeats nothing when killed twice at random moments (%i)",
    async () => {
      // A resumed family has less work, and may finish before the second kill.
      await trial({ ...randomMoment(beforeLastEffect), held: "main-2" }, randomMoment(20));
    },
  );

  test.concurrent.each(Array.from({ length: randomTrials }, (_, index) => index))(
    "repeats nothing when killed at a random moment and again during the resume (%i)",
    async () => {
      const begun = { ...randomMoment(beforeLastEffect), held: "main-2" };
      // There is something to resume: at least a start, a step and an end.
      begun.nearEvent += 1;
      await trial(begun, { afterEvents: 1 + Math.floor(Math.random() * 3) });
    },
  );

  test("was really killed as often as intended", () => {
    expect(kills).toBeGreaterThanOrEqual(sampled.length + effects.length + 3 * randomTrials);
    if (isLong) expect(kills).toBeGreaterThanOrEqual(200);
  });
});
