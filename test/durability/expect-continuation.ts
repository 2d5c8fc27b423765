import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { isTerminal } from "../../src/run/run.ts";
import type { Journal } from "./killed-project.ts";

/** Events that were durable before a kill are still present, and ended runs are unchanged. */
export function expectContinuation(before: Journal, after: Journal): void {
  const now = new Map(after.map((entry) => [entry.run.id, entry.events]));
  for (const { run, events } of before) {
    const found = now.get(run.id) ?? [];
    const same = found.slice(0, events.length);
    // Most of the time of `toEqual` prepares the message of a failure.
    if (!isDeepStrictEqual(same, events))
      expect(same, `the journal of ${run.task}`).toEqual(events);
    if (isTerminal(run.status)) expect(found, `${run.task} had ended`).toHaveLength(events.length);
  }
}
