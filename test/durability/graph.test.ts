import { describe, expect, test } from "vitest";
import { createGraph, executeGraph } from "./graph.ts";
import type { Kill } from "./killed-project.ts";

/** Kills the graph a few times; with `npm run test:durability` more than a hundred times. */
const isLong = process.env["CADRE_LONG_TESTS"] === "1";
const trials = isLong ? 100 : 2;
/** Every so many trials it is killed once more, while it is being taken up. */
const rareness = isLong ? 5 : 2;

/** A little fewer events than an uninterrupted execution of the graph has. */
const lastEvent = 1200;
let kills = 0;

async function trial(...moments: readonly Kill[]): Promise<void> {
  const project = await createGraph();
  try {
    const killed = await executeGraph(project, moments);
    kills += killed;
  } finally {
    await project.remove();
  }
}

const numbers = Array.from({ length: trials }, (_, index) => index);

describe("a graph of 200 runs", { timeout: 600_000 }, () => {
  test("comes to its end when it is never killed", async () => {
    await trial();
  });

  test.concurrent.each(numbers)(
    "tells every result once when it is killed (%i)",
    async (number) => {
      // Spread over all of its life.
      const afterEvents = 1 + Math.floor(((number + Math.random()) / trials) * lastEvent);
      const again = { afterEvents: 1 + Math.floor(Math.random() * 60) };
      await trial({ afterEvents }, ...(number % rareness === 0 ? [again] : []));
    },
  );

  test("was really killed, as often as this suite is meant to", () => {
    expect(kills).toBeGreaterThanOrEqual(trials);
  });
});
