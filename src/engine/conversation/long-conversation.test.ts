import { describe, expect, test } from "vitest";
import {
  createEngineFixture,
  createTestTool,
  typesOf,
} from "../../../test/fixtures/engine-fixture.ts";
import { resumeLeftRun } from "../../../test/fixtures/left-run.ts";
import type { ScriptConversation } from "../../model/script/script-conversation.ts";
import type { Script } from "../../model/script/scripted-model.ts";
import type { RunEventBody } from "../../run/event.ts";
import { noUsage } from "../../run/usage.ts";

const task = `Find it. ${"t".repeat(6000)}`;
const lookCall = { tool: "Look", input: { value: "" } };
const lookTool = createTestTool("Look", () => "x".repeat(3000), { access: "read" });

/** Calls `Look` eight times, and records each request to the model. */
function createLooking(seen: ScriptConversation[]): Script {
  return (conversation) => {
    seen.push(conversation);
    return conversation.turn < 8 ? { calls: [lookCall] } : { text: "found" };
  };
}

describe("a conversation that grows towards the context of its model", () => {
  test("loses old tool results, and keeps the task whole", async () => {
    const seen: ScriptConversation[] = [];
    const fixture = createEngineFixture({
      contextTokens: 6000,
      tools: [lookTool],
      script: createLooking(seen),
    });
    const result = await fixture.run({ task });
    expect(result).toMatchObject({ status: "succeeded", text: "found", warnings: [] });
    expect(typesOf(await fixture.events(result.runId))).toContain("conversation-compacted");
    for (const conversation of seen) expect(conversation.task).toBe(task);
    expect(seen.at(-1)?.text).toContain("was removed to save space");
    expect(seen.at(-1)?.last).toBe("x".repeat(3000));
  });

  test("is compacted further and sent again when the provider rejects it as too long", async () => {
    const seen: ScriptConversation[] = [];
    const script = createLooking(seen);
    const fixture = createEngineFixture({
      tools: [lookTool],
      script(conversation) {
        if (conversation.text.length < 20_000) return script(conversation);
        const error = new Error("prompt is too long: 9000 tokens > 8000 maximum");
        throw Object.assign(error, { statusCode: 400 });
      },
    });
    const result = await fixture.run({ task });
    expect(result).toMatchObject({ status: "succeeded", text: "found" });
    for (const conversation of seen) expect(conversation.task).toBe(task);
    expect(typesOf(await fixture.events(result.runId))).toContain("conversation-compacted");
  });

  test("is compacted again in a resumed run, and that is recorded once", async () => {
    const text = "x".repeat(3000);
    const recorded = Array.from({ length: 6 }, (_, index): RunEventBody[] => {
      const turn = index + 1;
      const call = { type: "tool-call", id: `c${turn}`, tool: "Look", input: {} };
      const step = { durationMs: 1, usage: noUsage, cost: null };
      return [
        {
          ...step,
          type: "step-finished",
          key: `model/${turn}`,
          kind: "model",
          value: { parts: [call], finish: "tool-calls", warnings: [] },
        },
        {
          type: "step-finished",
          key: `tool/${turn}/0`,
          kind: "tool",
          value: { text },
          durationMs: 1,
        },
      ] as RunEventBody[];
    });
    const compacted = { type: "conversation-compacted", turn: 4, removedCharacters: 1 } as const;
    const seen: ScriptConversation[] = [];
    const fixture = await resumeLeftRun(
      [...recorded.flat(), compacted],
      { contextTokens: 6000, tools: [lookTool], script: createLooking(seen) },
      { task },
    );
    expect(await fixture.engine.result("r")).toMatchObject({ status: "succeeded" });
    expect(seen[0]?.turn).toBe(6);
    expect(seen[0]?.text).toContain("was removed to save space");
    const events = await fixture.events("r");
    const turns = events.flatMap((event) =>
      event.type === "conversation-compacted" ? [event.turn] : [],
    );
    expect(turns.filter((turn) => turn <= 6)).toEqual([4]);
  });

  test("fails when the parts that must stay whole do not fit", async () => {
    const fixture = createEngineFixture({
      contextTokens: 2000,
      tools: [lookTool],
      script: () => ({ text: "never asked" }),
    });
    const result = await fixture.run({ task: "t".repeat(8000) });
    expect(result).toMatchObject({ status: "failed", text: "", turns: 0 });
    expect(result.failure).toMatchObject({
      code: "limit-exceeded",
      details: {
        contextTokens: 2000,
        parts: [
          { name: "the task", tokens: expect.any(Number) },
          { name: "the instructions" },
          { name: "the descriptions of its tools" },
        ],
      },
    });
  });
});
