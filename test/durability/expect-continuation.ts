import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { isTerminal } from "../../src/run/run.ts";
import type { ProjectJournals } from "./killed-project.ts";

/** Checks that events that were durable before a kill are still present, and that ended runs are unchanged. */
export function expectContinuation(before: ProjectJournals, after: ProjectJournals): void {
  const now = new Map(after.map((entry) => [entry.run.id, entry.events]));
  for (const { run, events } of before) {
    const found = now.get(run.id) ?? [];
    const same = found.slice(0, events.length);
    // `toEqual` spends most of its time on the message of a failure.
    if (!isDeepStrictEqual(same, events))
      expect(same, `the journal of ${run.task}`).toEqual(events);
    if (isTerminal(run.status)) expect(found, `${run.task} had ended`).toHaveLength(events.length);
  }
}
