import { describe, expect, test } from "vitest";
import { createLiveReply } from "../../engine/live/live-reply.ts";
import type { RunEvent, RunEventBody } from "../../run/event.ts";
import type { RecordedResult } from "../../run/result.ts";
import type { JsonValue } from "../../source/json.ts";
import { createSpec } from "../../../test/fixtures/run-spec.ts";
import { createRunProjection, type RunProjection } from "./project-run.ts";
import type { Batches } from "./stream-run.ts";
import { streamText } from "./stream-text.ts";
import type { Part } from "./project-reply.ts";

const figures = {
  turns: 1,
  toolCalls: 0,
  usage: {
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  },
  cost: null,
};

function finished(result: Partial<RecordedResult>): RunEventBody {
  const base = {
    runId: "r-1",
    status: "succeeded",
    text: "",
    durationMs: 1,
    warnings: [],
  } as const;
  return {
    type: "run-finished",
    result: { ...base, runs: 1, ...figures, own: figures, ...result },
  };
}

function reply(key: string, value: JsonValue): RunEventBody {
  return { type: "step-finished", key, kind: "model", value, durationMs: 1 };
}

const says = (text: string, finish = "stop"): JsonValue => ({
  parts: [{ type: "text", text }],
  finish,
  warnings: [],
});

/** Projects events of one run; the number of an event is its place. */
function createProjector(spec: Parameters<typeof createSpec>[1] = {}): {
  projection: RunProjection;
  project(body: RunEventBody): Part[];
} {
  const projection = createRunProjection();
  let seq = 0;
  const project = (body: RunEventBody): Part[] => {
    seq += 1;
    const event: RunEvent = { ...body, runId: "r-1", seq, at: 0 };
    return projection.event(event);
  };
  project({ type: "run-created", spec: createSpec("r-1", spec) });
  return { projection, project };
}

/** The text of a run with these events. */
async function textOf(
  bodies: readonly RunEventBody[],
  spec: Parameters<typeof createSpec>[1] = {},
): Promise<string> {
  const { project } = createProjector(spec);
  async function* parts(): Batches {
    for (const body of bodies) yield { runId: "r-1", parts: project(body) };
  }
  let text = "";
  for await (const piece of streamText(parts())) text += piece;
  return text;
}

describe("the text of a run", () => {
  test("has a blank line between replies, and none where a reply was cut and continued", async () => {
    const events = [
      reply("model/1", says("One", "length")),
      reply("model/2", says(" and a half.")),
      reply("model/3", says("Two.")),
      finished({ text: "Two." }),
    ];
    expect(await textOf(events)).toBe("One and a half.\n\nTwo.");
  });

  test("comes from the result when no reply contains it", async () => {
    expect(await textOf([finished({ text: "of a program" })])).toBe("of a program");
    const asked = reply("ask/1", says("for the program only"));
    expect(await textOf([asked, finished({ text: "of a program" })])).toBe("of a program");
  });

  test("of a run that was stopped in the middle ends with its last text", async () => {
    const stopped = finished({ status: "cancelled", text: "Two begins" });
    expect(await textOf([reply("model/1", says("One.")), stopped])).toBe("One.\n\nTwo begins");
  });

  test("does not repeat a transcript or an output", async () => {
    const spoken = reply("model/1", says("One."));
    const transcript = finished({ text: "One.\n\nTool result (LS):\nx\n\nOne." });
    expect(await textOf([spoken, transcript], { summary: false })).toBe("One.");
    const output = finished({ text: '{"a":1}', output: { a: 1 } });
    expect(await textOf([spoken, output])).toBe("One.");
  });
});

describe("a reply", () => {
  test("that was seen while it arrived is completed", () => {
    const { projection, project } = createProjector();
    const live = createLiveReply("model/1");
    live.add({ type: "text", id: "0", text: "Hel" });
    expect(projection.live(live)).toEqual([
      { type: "text", id: "model/1/0", step: "model/1", text: "Hel" },
    ]);
    expect(projection.live(live)).toEqual([]);
    live.add({ type: "text", id: "0", text: "l" });
    live.add({ type: "reasoning", id: "1", text: "" });
    live.add({ type: "tool-input", id: "c", tool: "LS", text: "" });
    expect(projection.live(live)).toEqual([
      { type: "text", id: "model/1/0", step: "model/1", text: "l" },
      { type: "tool-input", id: "tool/1/0", step: "model/1", tool: "LS", text: "" },
    ]);
    const parts = [
      { type: "text", text: "Hello" },
      { type: "tool-call", id: "c", tool: "LS", input: {} },
    ];
    expect(project(reply("model/1", { parts, finish: "tool-calls" }))).toMatchObject([
      { type: "text", id: "model/1/0", text: "o" },
      { type: "tool-call", id: "tool/1/0", tool: "LS", input: {} },
      { type: "reply-finished", finish: "tool-calls" },
    ]);
  });

  test("that differs from what arrived is given in full, and the earlier pieces are voided", () => {
    const { projection, project } = createProjector();
    const live = createLiveReply("try/2/model/1");
    live.add({ type: "text", id: "0", text: "Help" });
    projection.live(live);
    expect(project(reply("try/2/model/1", says("Hello")))).toMatchObject([
      { type: "reply-discarded", step: "try/2/model/1" },
      { type: "text", id: "try/2/model/1/2/0", text: "Hello" },
      { type: "reply-finished" },
    ]);
  });

  test("names its calls like the steps that execute them, and those that return an output separately", () => {
    const { project } = createProjector({ outputSchema: { type: "object" } });
    const call = (tool: string) => ({ type: "tool-call", id: "x", tool, input: {} });
    const malformed = { type: "malformed-tool-call", id: "x", tool: "Read", text: "{oops" };
    const parts = [call("final_output"), call("LS"), malformed, call("final_output")];
    const ids = project(reply("try/2/model/3", { parts, finish: "tool-calls" })).flatMap((part) =>
      part.type === "tool-call" ? [[part.id, part.input]] : [],
    );
    expect(ids).toEqual([
      ["try/2/final_output/3/0", {}],
      ["try/2/tool/3/0", {}],
      ["try/2/tool/3/1", "{oops"],
      ["try/2/final_output/3/1", {}],
    ]);
  });

  test("of a runner does not repeat the calls that it reported before", () => {
    const { project } = createProjector();
    const step = { key: "runner/1/1", title: "Edit a.ts", hasEffect: true, tool: "edit" };
    expect(project({ type: "step-started", ...step })).toEqual([
      { type: "tool-call", id: "runner/1/1", tool: "edit", input: { title: "Edit a.ts" } },
    ]);
    const parts = [
      { type: "text", text: "I edit." },
      { type: "tool-call", id: "runner/1/1", tool: "edit", input: {} },
    ];
    const types = project(reply("model/1", { parts, finish: "stop" })).map(({ type }) => type);
    expect(types).toEqual(["text", "reply-finished"]);
  });

  test.each<JsonValue>([null, "text", [], { parts: "x" }, { parts: [null, 5, { type: "text" }] }])(
    "of a damaged journal gives no parts: %j",
    (value) => {
      const { project } = createProjector();
      expect(project(reply("model/1", value)).map(({ type }) => type)).toEqual(["reply-finished"]);
      const event = { type: "step-finished", key: "tool/1/0", kind: "tool", value } as const;
      expect(project({ ...event, durationMs: 1 })).toEqual([
        { type: "tool-result", id: "tool/1/0", text: expect.any(String), isError: false },
      ]);
    },
  );
});

test("a check that failed is a failed call with its output", () => {
  const { project } = createProjector();
  const value = { exitCode: 1, endedBy: null, output: "2 tests failed" };
  const event = { type: "step-finished", key: "check/0", kind: "tool", value } as const;
  expect(project({ ...event, durationMs: 1 })).toEqual([
    { type: "tool-result", id: "check/0", text: "exit code 1\n2 tests failed", isError: true },
  ]);
});
