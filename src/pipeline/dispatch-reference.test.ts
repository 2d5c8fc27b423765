import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createFakePort } from "../../test/fixtures/pipeline/pipeline-port.ts";
import { drain } from "./dispatch.ts";
import { type AgentConfig, normalizeEntries } from "./prompt-file/entry.ts";
import type { RootEvent } from "./event/event-name.ts";
import { createState } from "./sub-agent/state.ts";

const names = ["a", "b", "c"];
const events = ["start", "end", "x::1", "x::2", "x::3"];

interface ScriptedAnswer {
  emits: string[];
  next: AgentConfig[] | null;
  fails: boolean;
}

const config = fc.record({
  name: fc.constantFrom(...names),
  enabled: fc.boolean(),
  on: fc.uniqueArray(fc.constantFrom(...events), { minLength: 1, maxLength: 3 }),
});
const answer: fc.Arbitrary<ScriptedAnswer> = fc.record({
  emits: fc.array(fc.constantFrom("x::1", "x::2", "x::3"), { maxLength: 3 }),
  next: fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.array(config, { maxLength: 4 }) },
  ),
  fails: fc.integer({ min: 0, max: 30 }).map((number) => number === 0),
});
/** The answer to the n-th run of any agent; the last answer repeats forever. */
const script = fc.array(answer, { minLength: 1, maxLength: 12 });

/** The rules in their simplest form. */
function simulate(entries: readonly AgentConfig[], answers: readonly ScriptedAnswer[]): string[] {
  const trace: string[] = [];
  let list = entries;
  let emitted = 0;
  for (const root of ["start", "end"]) {
    const waiting = [root];
    let previous = "";
    let times = 0;
    while (waiting.length > 0) {
      const event = waiting[0] ?? "";
      waiting.splice(0, 1);
      times = event === previous ? times + 1 : 1;
      previous = event;
      if (times === 26) return [...trace, "halted: inRow"];
      for (const { name } of list.filter((one) => one.enabled && one.on.includes(event))) {
        if (trace.length === 100) return [...trace, "halted: runs"];
        const reply = answers[Math.min(trace.length, answers.length - 1)];
        trace.push(`${event}:${name}`);
        if (reply === undefined || reply.fails) return [...trace, "failed"];
        emitted += reply.emits.length;
        for (const one of reply.emits) waiting.push(one);
        if (reply.next !== null) list = reply.next;
        if (emitted > 1000) return [...trace, "halted: emitted"];
      }
    }
  }
  return [...trace, "succeeded"];
}

async function execute(
  entries: readonly AgentConfig[],
  answers: readonly ScriptedAnswer[],
): Promise<string[]> {
  const trace: string[] = [];
  const agent = ({ event }: { event: string }, { name }: AgentConfig): unknown => {
    const reply = answers[Math.min(trace.length, answers.length - 1)];
    trace.push(`${event}:${name}`);
    if (reply === undefined || reply.fails) return { success: false };
    return { emit_events: reply.emits, sub_agents_next: reply.next };
  };
  const port = createFakePort(Object.fromEntries(names.map((name) => [name, agent])));
  const { configs: agents } = normalizeEntries(entries);
  let state = createState({ promptFolder: "/work", params: {}, instruction: "x", agents });
  for (const event of ["start", "end"] satisfies RootEvent[]) {
    const result = await drain(state, event, port);
    state = result.state;
    const cap = result.failure?.details?.["cap"];
    if (typeof cap === "string") return [...trace, `halted: ${cap}`];
    if (result.failure !== null) return [...trace, "failed"];
  }
  return [...trace, "succeeded"];
}

test("agents run exactly by the rules, whatever they emit, replace or fail at", async () => {
  const ends = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(config, { maxLength: 5 }), script, async (entries, answers) => {
      const expected = simulate(entries, answers);
      ends.add(expected.at(-1) ?? "");
      expect(await execute(entries, answers)).toEqual(expected);
    }),
    { numRuns: 150, seed: 7 },
  );
  // Ensures that the property was tested against a limit.
  expect([...ends].sort()).toEqual(["failed", "halted: inRow", "halted: runs", "succeeded"]);
});
