import { describe, expect, test } from "vitest";
import {
  createEngineFixture,
  createTestTool,
  type EngineGiven,
  typesOf,
} from "../../../test/fixtures/engine-fixture.ts";
import { resumeLeftRun } from "../../../test/fixtures/left-run.ts";
import type { RunEvent, RunEventBody } from "../../run/event.ts";
import type { RunSpec } from "../../run/run.ts";
import type { Shell } from "../../tool/builtin/shell.ts";

/** Two attempts, each with a call and a correction; the on_failure command after the first lets the second pass. */
const spec = {
  outputSchema: { type: "object", required: ["title"] },
  retry: {
    maxRetries: 1,
    checks: [
      { type: "shell", command: "good" },
      { type: "shell", command: "good when tidy" },
    ],
    onFailure: "tidy up",
  },
} satisfies Partial<RunSpec>;

/** The parts with effects of a run, with their counts. */
interface Actors {
  given: EngineGiven;
  counts: { asked: number; called: number; commands: number };
}

/** A model, a tool and a shell, which begins in the state of `history`. */
function createActors(history: readonly RunEvent[] = []): Actors {
  const counts = { asked: 0, called: 0, commands: 0 };
  let isTidy = keysOf(history).includes("try/2/on-failure");
  const shell: Shell = {
    async run({ command }) {
      counts.commands += 1;
      const exitCode = command === "good when tidy" && !isTidy ? 1 : 0;
      isTidy ||= command === "tidy up";
      const end = { signal: null, endedBy: null, text: "", file: null, durationMs: 0 };
      const isLast = command === "good when tidy" && isTidy;
      return {
        ...end,
        exitCode,
        isSandboxed: false,
        isReadOnly: false,
        undone: isLast ? [{ path: "/w/.envrc", change: "created", movedTo: null }] : [],
        missingHosts: [],
      };
    },
  };
  const given: EngineGiven = {
    openShell: async () => shell,
    tools: [createTestTool("Work", () => `${(counts.called += 1)}`, { access: "none" })],
    script({ turn }) {
      counts.asked += 1;
      const input = turn === 0 ? {} : { title: "x" };
      const others = turn === 0 ? [{ tool: "Work", input: {} }] : [];
      return { text: `turn ${turn}`, calls: [...others, { tool: "final_output", input }] };
    },
  };
  return { given, counts };
}

function keysOf(events: readonly RunEvent[]): string[] {
  return events.flatMap((event) => (event.type === "step-finished" ? event.key : []));
}

const expected = {
  status: "succeeded",
  text: "turn 1",
  output: { title: "x" },
  turns: 4,
  warnings: [expect.stringContaining(".envrc")],
};

async function runWhole(): Promise<RunEvent[]> {
  const { given, counts } = createActors();
  const fixture = createEngineFixture(given);
  const result = await fixture.run(spec);
  expect(result).toMatchObject(expected);
  expect(counts).toEqual({ asked: 4, called: 2, commands: 5 });
  return await fixture.events(result.runId);
}

describe("a run with a correction and two attempts", () => {
  test("ends the same wherever it was killed, and repeats nothing that was recorded", async () => {
    const whole = await runWhole();
    expect(whole.length).toBeGreaterThan(20);
    for (let count = 2; count < whole.length; count += 1) {
      const left = whole.slice(0, count);
      const { given, counts } = createActors(left);
      const fixture = await resumeLeftRun(left.slice(2), given, spec);
      expect(await fixture.engine.result("r"), `after ${count} events`).toMatchObject(expected);
      const events = await fixture.events("r");
      expect(keysOf(events)).toEqual(keysOf(whole));
      const types = typesOf(events);
      expect(types.filter((type) => type === "attempt-failed")).toHaveLength(1);
      expect(types.filter((type) => type === "run-finished")).toHaveLength(1);
      const recorded = (pattern: RegExp): number =>
        keysOf(left).filter((key) => pattern.test(key)).length;
      expect(counts).toEqual({
        asked: 4 - recorded(/model/),
        called: 2 - recorded(/tool/),
        commands: 5 - recorded(/check|on-failure/),
      });
      await fixture.engine.close();
    }
  });

  test("does not repeat an attempt that failed in an earlier process, although no step records the reason", async () => {
    const { given, counts } = createActors();
    const failure = { code: "model-error", message: "overloaded" } as const;
    const failed: RunEventBody = { type: "attempt-failed", attempt: 1, failure, warnings: ["cut"] };
    const retry = { maxRetries: 1, checks: [] };
    const fixture = await resumeLeftRun([failed], given, { ...spec, retry });
    expect(await fixture.engine.result("r")).toMatchObject({
      status: "succeeded",
      turns: 2,
      warnings: ["cut"],
    });
    expect(counts.asked).toBe(2);
    expect(keysOf(await fixture.events("r"))[0]).toBe("try/2/instructions");
  });
});
