import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SubAgentInput } from "../../../src/index.ts";
import type { JsonObject } from "../../../src/host.ts";
import {
  type ContractFixture,
  openContractFixture,
} from "../../fixtures/pipeline/contract-fixture.ts";

let fixture: ContractFixture;
beforeAll(async () => {
  fixture = await openContractFixture();
});
afterAll(() => fixture.close());

const off = { enabled: false };
const all = { name: "a", on: ["start", "task::start", "task::end", "end", "x::y"] };
const emitting =
  (events: Record<string, string[]>) =>
  ({ event }: SubAgentInput) => ({
    emit_events: events[event] ?? [],
  });

describe("sub-agents run", () => {
  test.each<[string, JsonObject, string[]]>([
    ["never without any", {}, ["coder"]],
    ["never from an empty list", { sub_agents: [] }, ["coder"]],
    ["never from a null list", { sub_agents: null }, ["coder"]],
    ["at start by their names", { sub_agents: ["a"] }, ["start:a", "coder"]],
    ["at start as tables", { sub_agents: [{ name: "a" }] }, ["start:a", "coder"]],
    ["at start without a value", { sub_agents: [{ name: "a", on: null }] }, ["start:a", "coder"]],
    ["on one event", { sub_agents: [{ name: "a", on: "end" }] }, ["coder", "end:a"]],
    ["on a list of one", { sub_agents: [{ name: "a", on: ["end"] }] }, ["coder", "end:a"]],
    [
      "before a task",
      { sub_agents: [{ name: "a", on: "task::start" }] },
      ["task::start:a", "coder"],
    ],
    ["after a task", { sub_agents: [{ name: "a", on: "task::end" }] }, ["coder", "task::end:a"]],
    [
      "once for an event that is listed twice",
      { sub_agents: [{ name: "a", on: ["end", "end"] }] },
      ["coder", "end:a"],
    ],
    [
      "not when they are disabled",
      { sub_agents: [{ name: "a", ...off }, "b"] },
      ["start:b", "coder"],
    ],
    ["when they are enabled", { sub_agents: [{ name: "a", enabled: true }] }, ["start:a", "coder"]],
    ["as often as they are listed", { sub_agents: ["a", "a"] }, ["start:a", "start:a", "coder"]],
    [
      "in declaration order",
      { sub_agents: ["b", "a", "c"] },
      ["start:b", "start:a", "start:c", "coder"],
    ],
    [
      "on every event in order",
      { sub_agents: [all] },
      ["start:a", "task::start:a", "coder", "task::end:a", "end:a"],
    ],
    [
      "without the coder when there are no inputs",
      { sub_agents: [all], inputs: [] },
      ["start:a", "end:a"],
    ],
    ["on no event that nothing emits", { sub_agents: [{ name: "a", on: "x::y" }] }, ["coder"]],
    ["not on coder::start", { sub_agents: [{ name: "a", on: "coder::start" }] }, ["coder"]],
  ])("%s", async (_, params, trace) => {
    expect(await fixture.execute(params)).toMatchObject({ status: "succeeded", trace });
  });

  test.each<[string, unknown, string]>([
    ["a list of another shape", "a", "`sub_agents`: Expected a list of agents"],
    ["a table for the list", { a: 1 }, "`sub_agents`: Expected a list of agents"],
    ["a number", [5], "`sub_agents[0]`: Expected a name or a table"],
    ["null", ["a", null], "`sub_agents[1]`: Expected a name or a table"],
    ["a list", [["a"]], "`sub_agents[0]`: Expected a name or a table"],
    ["no name", [{ on: "end" }], "`sub_agents[0]`: Expected a `name`"],
    ["an empty name", [""], "`sub_agents[0].name`: Expected a `name`"],
    ["a name that is a number", [{ name: 5 }], "`sub_agents[0].name`: Expected a `name`"],
    ["an empty on", [{ name: "a", on: [] }], "`sub_agents[0].on`: Expected `on` to be an event"],
    ["an on that is a set", [{ name: "a", on: { start: true } }], "got a table with start"],
    ["a bare event", [{ name: "a", on: "done" }], "got `done`"],
    ["a slip", [{ name: "a", on: "strat" }], "Did you mean `start`?"],
    ["another case", [{ name: "a", on: "End" }], "Did you mean `end`?"],
    ["an old stage", [{ name: "a", on: "pre_task" }], "Did you mean `task::start`?"],
    [
      "enabled as a text",
      [{ name: "a", enabled: "no" }],
      "to be `true` or `false`; got the text `no`",
    ],
    [
      "options as a list",
      [{ name: "a", options: ["x"] }],
      "`options` to be a table; got a list of 1",
    ],
    [
      "merge_params as a text",
      [{ name: "a", options: { merge_params: "yes" } }],
      "to be true or false",
    ],
    [
      "stage_pre",
      [{ name: "a", stage_pre: true }],
      "`stage_pre`, which is no longer a field of sub-agents. Write `on: start` instead.",
    ],
    ["stage_post", [{ name: "a", stage_post: false }], "Write `on: end` instead."],
    ["coder_stage", [{ name: "a", coder_stage: "post" }], "or `on: end` (post) instead."],
    ["an unknown agent", ["nobody"], 'Unknown agent: "nobody"'],
    ["a path to nothing", ["./no.aip"], "no.aip"],
  ])("never with %s: nothing is started", async (_, sub_agents, message) => {
    const executed = fixture.execute({ sub_agents } as JsonObject);
    await expect(executed).rejects.toMatchObject({ code: "definition-invalid" });
    await expect(executed).rejects.toThrow(message);
  });
});

describe("emitted events", () => {
  const b = { name: "b", on: ["a::1", "a::2", "b::1"] };
  test.each<[string, Record<string, string[]>, string[]]>([
    ["are dispatched in their order", { start: ["a::1", "a::2"] }, ["a::1:b", "a::2:b"]],
    [
      "are dispatched twice when they are emitted twice",
      { start: ["a::1", "a::1"] },
      ["a::1:b", "a::1:b"],
    ],
    [
      "wait behind those that were there",
      { start: ["a::1", "a::2"], "a::1": ["b::1"] },
      ["a::1:b", "a::2:b", "b::1:b"],
    ],
    [
      "are drained before the coder runs",
      { start: ["a::1"], "a::1": ["a::2"], "a::2": ["b::1"] },
      ["a::1:b", "a::2:b", "b::1:b"],
    ],
    ["may have no subscriber", { start: ["nobody::hears"] }, []],
  ])("%s", async (_, emits, received) => {
    const sub_agents = ["a", b, "c"];
    const act = emitting(emits);
    const { trace, status } = await fixture.execute({ sub_agents }, { a: act, b: act });
    expect([status, trace]).toEqual(["succeeded", ["start:a", "start:c", ...received, "coder"]]);
  });

  test("at end are drained before the pipeline ends, and those of a task before the next one", async () => {
    const sub_agents = [
      { name: "a", on: ["task::end", "end"] },
      { name: "b", on: "x::y" },
    ];
    const params = { sub_agents, inputs: [1, 2], input_concurrency: 1 };
    const { trace } = await fixture.execute(params, { a: () => ({ emit_events: ["x::y"] }) });
    const task = ["coder", "task::end:a", "x::y:b"];
    expect(trace).toEqual([...task, ...task, "end:a", "x::y:b"]);
  });

  const a = { name: "a", on: ["start", "x::1", "x::2"] };
  const round = { start: ["x::1"], "x::1": ["x::2"], "x::2": ["x::1"] };
  const many = { start: Array.from({ length: 1001 }, (_, index) => `x::${index + 10}`) };
  test.each<[string, Record<string, string[]>, string, string]>([
    ["times in a row", { ...round, "x::1": ["x::1"] }, "inRow", "start → [a] x::1 (26 times)"],
    ["runs", round, "runs", "start → [a] x::1 → … → [a] x::1 → [a] x::2"],
    ["events", many, "emitted", "start → [a] x::1010"],
  ])("halt the pipeline when they are too many %s", async (_, emits, cap, chain) => {
    const { failure, received } = await fixture.execute(
      { sub_agents: [a] },
      { a: emitting(emits) },
    );
    expect(failure).toMatchObject({ code: "pipeline-halted", details: { cap } });
    expect(failure?.message).toContain(chain);
    expect(received).toEqual([]);
  });
});
