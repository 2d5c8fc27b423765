import { describe, expect, test } from "vitest";
import { isLong } from "../is-long.ts";
import { createGraph, executeGraphs } from "./graph.ts";
import type { Kill } from "./execute-and-kill.ts";

/** Kills the graph a few times; with `npm run test:durability` more than a hundred times. */
const trials = isLong ? 34 : 2;
/** Graphs of a process. */
const together = isLong ? 3 : 1;
/** In every n-th trial they are killed again during the resume. */
const rareness = isLong ? 5 : 2;

/** A little fewer events than an uninterrupted execution of the graph has. */
const lastEvent = 1200;
let kills = 0;

async function trial(count: number, ...moments: readonly Kill[]): Promise<void> {
  const projects = await Promise.all(Array.from({ length: count }, createGraph));
  try {
    const killed = await executeGraphs(projects, moments);
    kills += killed;
  } finally {
    for (const project of projects) await project.remove();
  }
}

const numbers = Array.from({ length: trials }, (_, index) => index);

describe("a graph of 200 runs", { timeout: 600_000 }, () => {
  test("finishes if it is never killed", async () => {
    await trial(1);
  });

  test.concurrent.each(numbers)(
    "delivers every result once when it is killed (%i)",
    async (number) => {
      // Spread over its whole execution.
      const moment = ((number + Math.random()) / trials) * lastEvent;
      const afterEvents = 1 + Math.floor(moment * together);
      const again = { afterEvents: 1 + Math.floor(Math.random() * 60 * together) };
      await trial(together, { afterEvents }, ...(number % rareness === 0 ? [again] : []));
    },
  );

  test("was really killed as often as intended", () => {
    expect(kills).toBeGreaterThanOrEqual(isLong ? 100 : trials);
  });
});
