import { describe, expect, test } from "vitest";
import {
  type Agents,
  nothing,
  drainFrom,
  stateOf,
} from "../../test/fixtures/pipeline/drained-pipeline.ts";
import { createFakePort, type FakeAgent } from "../../test/fixtures/pipeline/pipeline-port.ts";
import { drain } from "./dispatch.ts";

describe("events", () => {
  test("run their agents in declaration order, without disabled agents", async () => {
    const entries = ["c", { name: "a", enabled: false }, { name: "x", on: "end" }, "b"];
    const { order, failure } = await drainFrom(stateOf(entries), {
      b: nothing,
      c: nothing,
      x: nothing,
    });
    expect(order).toEqual(["start:c", "start:b"]);
    expect(failure).toBeNull();
  });

  test("emitted by agents go to the end of the queue in order", async () => {
    const entries = [
      "first",
      "second",
      { name: "late", on: ["x::1", "x::2", "x::3"] },
      { name: "more", on: "x::1" },
    ];
    const { order } = await drainFrom(stateOf(entries), {
      first: () => ({ emit_events: ["x::1", "x::2"] }),
      second: nothing,
      late: nothing,
      more: () => ({ emit_events: ["x::3"] }),
    });
    expect(order).toEqual([
      "start:first",
      "start:second",
      "x::1:late",
      "x::1:more",
      "x::2:late",
      "x::3:late",
    ]);
  });

  test("emitted twice are dispatched twice", async () => {
    const entries = ["a", { name: "b", on: "x::y" }];
    const emit: FakeAgent = () => ({ emit_events: ["x::y", "x::y"] });
    const { order } = await drainFrom(stateOf(entries), { a: emit, b: nothing });
    expect(order).toEqual(["start:a", "x::y:b", "x::y:b"]);
  });

  test("without a subscriber cause a warning", async () => {
    const entries = ["a", { name: "b", on: "x::yy" }, { name: "c", on: "x::1", enabled: false }];
    const emit = (...emit_events: string[]): Agents => ({ a: () => ({ emit_events }) });
    const { state, failure } = await drainFrom(stateOf(entries), emit("x::y", "x::y"));
    expect(failure).toBeNull();
    expect(state).toMatchObject({ dispatches: 3, emitted: 2, runs: 1 });
    expect(state.warnings).toEqual([
      "Sub-agent [a] emitted `x::y`, but no enabled sub-agent runs on it. Did you mean `x::yy`?",
    ]);
    const many = Array.from({ length: 12 }, (_, index) => `x::${index}`);
    const [warning, ...others] = (await drainFrom(stateOf(entries), emit(...many))).state.warnings;
    expect(warning).toMatch(/emitted `x::0`, `x::1`, .*`x::9` and 2 more, but no enabled/);
    expect(others).toEqual([]);
  });

  test("of a built-in agent's end need no subscriber, unless an agent waits for a similar one", async () => {
    const entries = (on: string): object[] => [{ name: "auto-context" }, { name: "b", on }];
    const agents: Agents = { "auto-context": () => ({ emit_events: ["auto-context::end"] }) };
    expect((await drainFrom(stateOf(entries("end")), agents)).state.warnings).toEqual([]);
    const { state } = await drainFrom(stateOf(entries("auto-contxt::end")), agents);
    expect(state.warnings).toEqual([expect.stringContaining("Did you mean `auto-contxt::end`?")]);
  });

  test("are recorded at dispatch, with their emitter and their subscribers", async () => {
    const entries = ["a", { name: "b", on: "x::y" }];
    const agents = { a: () => ({ emit_events: ["x::y"] }), b: nothing };
    const { port } = await drainFrom(stateOf(entries), agents, ["start", "end"]);
    const recorded = [...port.journal].map(([key, value]) => [key, JSON.parse(value) as unknown]);
    const output = { output: { emit_events: ["x::y"] }, warnings: [], isFromPack: false };
    expect(recorded).toEqual([
      ["pipeline/0", { event: "start", emitted_by: null, agents: ["a"] }],
      ["pipeline/0/0", output],
      ["pipeline/1", { event: "x::y", emitted_by: "a", agents: ["b"] }],
      ["pipeline/1/1", { output: {}, warnings: [], isFromPack: false }],
      ["pipeline/2", { event: "end", emitted_by: null, agents: [] }],
    ]);
  });

  test("run an agent again while it emits an event it subscribes to", async () => {
    let left = 3;
    const { order } = await drainFrom(stateOf([{ name: "a", on: ["start", "a::again"] }]), {
      a: () => ({ emit_events: left-- > 0 ? ["a::again"] : [] }),
    });
    expect(order).toEqual(["start:a", "a::again:a", "a::again:a", "a::again:a"]);
  });

  test("have step keys with the dispatch and the agent", async () => {
    const entries = ["a", { name: "b", on: "end" }, { name: "c", on: ["x::y", "start"] }];
    const agents = { a: () => ({ emit_events: ["x::y"] }), b: nothing, c: nothing };
    const { port } = await drainFrom(stateOf(entries), agents, ["start", "end"]);
    expect(port.calls.map(({ key }) => key)).toEqual([
      "pipeline/0/0",
      "pipeline/0/2",
      "pipeline/1/2",
      "pipeline/2/1",
    ]);
  });
});

describe("sub_agents_next", () => {
  test("replaces the list for later dispatches, not for the current one", async () => {
    const entries = ["a", "b", { name: "old", on: ["end", "x::y"] }];
    const agents: Agents = {
      a: () => ({
        sub_agents_next: [{ name: "new", on: ["start", "x::y", "end"] }],
        emit_events: ["x::y"],
      }),
      b: nothing,
      old: nothing,
      new: nothing,
    };
    const { order } = await drainFrom(stateOf(entries), agents, ["start", "end"]);
    expect(order).toEqual(["start:a", "start:b", "x::y:new", "end:new"]);
  });

  test("of the last agent that returns one applies", async () => {
    const agents: Agents = {
      a: () => ({ sub_agents_next: [{ name: "c", on: "end" }] }),
      b: () => ({ sub_agents_next: [{ name: "d", on: "end" }] }),
      d: nothing,
    };
    const { order } = await drainFrom(stateOf(["a", "b"]), agents, ["start", "end"]);
    expect(order).toEqual(["start:a", "start:b", "end:d"]);
  });

  test("as an empty list removes all agents", async () => {
    const entries = ["a", "b", { name: "c", on: "end" }];
    const agents = { a: () => ({ sub_agents_next: [] }), b: nothing };
    const { order } = await drainFrom(stateOf(entries), agents, ["start", "end"]);
    expect(order).toEqual(["start:a", "start:b"]);
  });

  test("returned unchanged has no effect", async () => {
    const entries = [
      { name: "both", on: ["start", "end"] },
      { name: "same", on: ["start"] },
      { name: "last", on: ["start", "end"] },
    ];
    const agents: Agents = {
      both: nothing,
      same: ({ sub_agents_next }) => ({ sub_agents_next }),
      last: nothing,
    };
    const { order } = await drainFrom(stateOf(entries), agents, ["start", "end"]);
    expect(order).toEqual(["start:both", "start:same", "start:last", "end:both", "end:last"]);
  });
});

describe("a failure", () => {
  test.each([
    ["success false", { success: false, coder_prompt: "x" }, "Unknown error"],
    ["a message", { error_msg: "no luck", coder_prompt: "x" }, "no luck"],
    ["details too", { error_msg: "no", error_details: "why" }, "no\nDetails: why"],
  ])("of an agent ends the pipeline and applies nothing: %s", async (_, output, message) => {
    const { state, failure, order } = await drainFrom(stateOf(["a", "b"]), {
      a: () => output,
      b: nothing,
    });
    expect(order).toEqual(["start:a"]);
    expect(failure).toMatchObject({
      code: "pipeline-halted",
      message: `Sub-agent [a] failed: ${message}`,
      details: { agent: "a" },
    });
    expect(state).toMatchObject({
      prompts: ["Do it."],
      history: [{ success: false, error: `Sub-agent [a] failed: ${message}` }],
    });
  });

  test("to keep the contract ends the pipeline", async () => {
    const { failure, order } = await drainFrom(stateOf(["a", "b"]), {
      a: () => "done",
      b: nothing,
    });
    expect(order).toEqual(["start:a"]);
    expect(failure).toMatchObject({ code: "output-invalid", details: { agent: "a" } });
    expect(failure?.message).toContain("Sub-agent [a] failed: ");
  });

  test("of a run is the cause of the pipeline's failure", async () => {
    const cause = { code: "timed-out" as const, message: "It took too long." };
    const port = {
      ...createFakePort({}),
      runSubAgent: () => Promise.resolve({ failure: cause }),
    };
    const { failure } = await drain(stateOf(["a"]), "start", port);
    expect(failure).toMatchObject({
      code: "pipeline-halted",
      message: "Sub-agent [a] failed: It took too long.",
      cause,
    });
  });

  test("of the port itself, such as a cancel, propagates", async () => {
    const runSubAgent = (): Promise<never> => Promise.reject(new Error("cancelled"));
    const port = { ...createFakePort({}), runSubAgent };
    await expect(drain(stateOf(["a"]), "start", port)).rejects.toThrow("cancelled");
  });
});

test("the total size of all results is limited, because each agent gets the earlier ones", async () => {
  const agent_result = "x".repeat(900_000);
  const port = createFakePort({ a: () => ({ agent_result }) });
  const { failure, state } = await drain(stateOf(["a", "a", "a", "a", "a", "a"]), "start", port);
  expect(state.history.map(({ success }) => success)).toEqual([true, true, true, true, false]);
  expect(failure).toMatchObject({ code: "output-invalid" });
  expect(failure?.message).toContain("field `agent_result`: expected at most 4194304 characters");
});

describe("an endless pipeline", () => {
  test("is halted when the same event repeats more than 25 times in a row", async () => {
    const entries = [{ name: "a", on: ["start", "a::again"] }];
    const { failure, order } = await drainFrom(stateOf(entries), {
      a: () => ({ emit_events: ["a::again"] }),
    });
    expect(order).toHaveLength(26);
    expect(failure).toMatchObject({
      code: "pipeline-halted",
      details: { cap: "inRow", limit: 25 },
    });
    expect(failure?.message).toContain("start → [a] a::again (26 times)");
    expect(failure?.details?.["chain"]).toHaveLength(27);
  });

  test("is halted before the 101st run of an agent", async () => {
    const entries = [
      { name: "a", on: ["start", "x::a"] },
      { name: "b", on: "x::b" },
    ];
    const { failure, order } = await drainFrom(stateOf(entries), {
      a: () => ({ emit_events: ["x::b"] }),
      b: () => ({ emit_events: ["x::a"] }),
    });
    expect(order).toHaveLength(100);
    expect(failure).toMatchObject({
      code: "pipeline-halted",
      details: { cap: "runs", limit: 100 },
    });
    expect(failure?.message).toMatch(/start → \[a\] x::b → … → .* → \[b\] x::a\./);
  });

  test("is halted when more than 1000 events are emitted", async () => {
    const many = Array.from({ length: 1001 }, (_, index) => `x::${index}`);
    const { failure } = await drainFrom(stateOf(["a"]), { a: () => ({ emit_events: many }) });
    expect(failure).toMatchObject({ details: { cap: "emitted", limit: 1000 } });
    expect(failure?.message).toContain("start → [a] x::1000");
  });

  test("is detected when it queues itself by sub_agents_next", async () => {
    const entries = [{ name: "a", on: ["start", "x::1", "x::2"] }];
    let turn = 0;
    const { failure, order } = await drainFrom(stateOf(entries), {
      a: ({ agent_config }) => {
        turn += 1;
        return { sub_agents_next: [agent_config], emit_events: [`x::${(turn % 2) + 1}`] };
      },
    });
    expect(order).toHaveLength(100);
    expect(failure).toMatchObject({ code: "pipeline-halted", details: { cap: "runs" } });
  });

  test("is not detected for 25 in a row, 100 runs or 1000 events", async () => {
    const repeat: FakeAgent = () => ({ emit_events: Array.from({ length: 25 }, () => "x::y") });
    expect((await drainFrom(stateOf(["a"]), { a: repeat })).failure).toBeNull();
    const hundred = Array.from({ length: 100 }, () => "n");
    expect((await drainFrom(stateOf(hundred), { n: nothing })).failure).toBeNull();
    const many = Array.from({ length: 1000 }, (_, index) => `x::${index}`);
    const { failure } = await drainFrom(stateOf(["a"]), { a: () => ({ emit_events: many }) });
    expect(failure).toBeNull();
  });
});
