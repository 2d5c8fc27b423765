import { describe, expect, test } from "vitest";
import { isLong } from "../is-long.ts";
import { createGraph, executeGraph } from "./graph.ts";
import type { Kill } from "./execute-and-kill.ts";

/** The number of trials, each with a kill; with `npm run test:durability`, a hundred. */
const trials = isLong ? 100 : 2;
/** In every n-th trial, the graph is killed again during the resume. */
const rareness = isLong ? 5 : 2;

/** A number slightly below the events of an uninterrupted execution of the graph. */
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
  test("finishes if it is never killed", async () => {
    await trial();
  });

  test.concurrent.each(numbers)(
    "delivers every result once when it is killed (%i)",
    async (number) => {
      // Distributed over the whole execution.
      const afterEvents = 1 + Math.floor(((number + Math.random()) / trials) * lastEvent);
      const again = { afterEvents: 1 + Math.floor(Math.random() * 60) };
      await trial({ afterEvents }, ...(number % rareness === 0 ? [again] : []));
    },
  );

  test("was really killed as often as intended", () => {
    expect(kills).toBeGreaterThanOrEqual(trials);
  });
});
