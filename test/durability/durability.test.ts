import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createProject, type Kill } from "./family.ts";
import { executeWithKills } from "./invariants.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";

/**
 * `npm test` kills at a few boundaries; `npm run test:durability` at every one, and 100 times at random moments.
 */
const isLong = process.env["CADRE_LONG_TESTS"] === "1";

/** The events that an uninterrupted execution of the family has. */
const lastBoundary = 74;
const boundaries = Array.from({ length: lastBoundary }, (_, index) => index + 1);
const sampled = isLong ? boundaries : boundaries.filter((boundary) => boundary % 16 === 5);
const randomTrials = isLong ? 80 : 1;

let server: ModelServer;
let kills = 0;

beforeAll(async () => {
  server = await startModelServer();
});

afterAll(() => server.close());

async function trial(moments: readonly Kill[]): Promise<void> {
  const project = await createProject(server);
  server.asked.length = 0;
  try {
    kills += await executeWithKills(project, server, moments);
  } finally {
    await project.remove();
  }
}

describe("a family killed with SIGKILL and resumed", () => {
  test("finishes when it is never killed", async () => {
    await trial([]);
    expect(server.asked).toHaveLength(18);
  });

  test("is killed at every boundary there is", async () => {
    const project = await createProject(server);
    await project.execute("start", "never");
    const journal = await project.journal();
    expect(journal.reduce((count, { events }) => count + events.length, 0)).toBe(lastBoundary);
    await project.remove();
  });

  test.each(sampled)("does nothing twice when killed after event %i", async (afterEvents) => {
    await trial([{ afterEvents }]);
  });

  test.each(["main-1", "a", "c-2", "main-2"])(
    "does not repeat the command %s that was at work when it was killed",
    async (atEffect) => {
      await trial([{ atEffect }]);
    },
  );

  test.each(Array.from({ length: randomTrials }, (_, index) => index))(
    "does nothing twice when killed twice at random moments (%i)",
    async () => {
      const moment = (): Kill => ({ afterMs: 250 + Math.random() * 500 });
      await trial([moment(), moment()]);
    },
  );

  test("was really killed, as often as this suite is meant to", () => {
    expect(kills).toBeGreaterThanOrEqual(isLong ? 200 : sampled.length);
  });
});
