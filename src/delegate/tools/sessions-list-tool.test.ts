import { expect, test } from "vitest";
import { created, finished } from "../../../test/fixtures/run-spec.ts";
import type { RunEventBody } from "../../run/event.ts";
import type { Run } from "../../run/run.ts";
import { applyEvent } from "../../run/transition.ts";
import { listSessions } from "./sessions-list-tool.ts";

function runOf(id: string, hasEnded: boolean): Run {
  const happen = (run: Run | undefined, body: RunEventBody): Run =>
    applyEvent(run, { ...body, runId: id, seq: (run?.lastSeq ?? 0) + 1, at: 0 });
  const run = happen(happen(undefined, created(id)), { type: "run-started", owner: "1" });
  return hasEnded ? happen(run, finished(id)) : run;
}

test("all active runs and the newest ended ones are listed, however many runs exist", async () => {
  const runs = Array.from({ length: 1000 }, (_, index) => runOf(`r-${index}`, index % 100 !== 0));
  const { text, output } = await listSessions({ runs: async () => runs });
  const lines = text.split("\n");
  expect(lines.filter((line) => line.includes("running"))).toHaveLength(10);
  expect(lines.filter((line) => line.includes("succeeded"))).toHaveLength(100);
  expect(lines.at(-2)).toContain("(run 999)");
  expect(lines.at(-1)).toBe("890 more ended runs are left out.");
  expect(output).toMatchObject({ runs: { length: 110 } });
});
