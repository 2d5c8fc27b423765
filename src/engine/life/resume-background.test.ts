import { describe, expect, test } from "vitest";
import { createEngineFixture } from "../../../test/fixtures/engine-fixture.ts";
import { leaveRuns } from "../../../test/fixtures/left-run.ts";
import { finished } from "../../../test/fixtures/run-spec.ts";
import type { RunEvent, RunEventBody } from "../../run/event.ts";
import type { Message } from "../../run/message.ts";

const deliveriesIn = (events: readonly RunEvent[]): RunEvent[] =>
  events.filter(({ type }) => type === "messages-delivered");

/** The events of an earlier process, for a root that started a background child in its first turn. */
const begun: RunEventBody[] = [
  {
    type: "step-finished",
    key: "model/1",
    kind: "model",
    durationMs: 0,
    value: {
      parts: [{ type: "tool-call", id: "c", tool: "Start", input: { value: "child" } }],
      finish: "tool-calls",
      warnings: [],
    },
  },
  { type: "step-started", key: "tool/1/0", title: "Start child", hasEffect: false },
  { type: "step-finished", key: "tool/1/0", kind: "tool", value: { text: "c" }, durationMs: 0 },
];

describe("after a crash, a run in the background", () => {
  const below = { rootId: "r", parentId: "r", parentStep: "tool/1/0", depth: 1 };
  const child = { ...below, task: "child", background: true };

  /** Resumes a root with `events`, and its child `c`, which may have ended. */
  async function goOn(events: readonly RunEventBody[], childEvents: readonly RunEventBody[]) {
    const received: string[] = [];
    const started: RunEventBody = { type: "run-started", owner: "1" };
    const path = await leaveRuns([
      { id: "r", spec: { task: "root" }, events: [started, ...begun, ...events] },
      { id: "c", spec: child, events: childEvents },
    ]);
    const fixture = createEngineFixture({
      path,
      script({ task, last }) {
        if (task === "child") return { text: "did child" };
        received.push(last);
        return { text: "done" };
      },
    });
    await fixture.engine.resume("r");
    const result = await fixture.engine.result("r");
    return { received, result, events: await fixture.events("r") };
  }

  test("continues, and delivers its result", async () => {
    const { received, result } = await goOn([], [{ type: "run-started", owner: "1" }]);
    expect(result.status).toBe("succeeded");
    expect(received.filter((text) => text.includes("did child"))).toHaveLength(1);
  });

  test("delivers its result if it had ended before its parent received it", async () => {
    const { received, events } = await goOn([], [finished("c", { text: "had done it" })]);
    expect(received).toEqual([
      "[The background run main (run c) has ended: succeeded]\n\nhad done it",
    ]);
    expect(deliveriesIn(events)).toHaveLength(1);
  });

  test("does not deliver its result again if its parent had received it, by a message or from a tool", async () => {
    const message: Message = { id: "c", kind: "result", from: "c", text: "had done it" };
    const results: RunEventBody[] = [
      { type: "messages-delivered", step: "model/2", messages: [message] },
      { type: "results-collected", runIds: ["c"] },
    ];
    const [byMessage, byTool] = [
      await goOn(results.slice(0, 1), [finished("c")]),
      await goOn(results.slice(1), [finished("c")]),
    ];
    // The messages delivered before the crash are sent to the model again.
    expect(byMessage.received).toEqual(["had done it"]);
    expect(deliveriesIn(byMessage.events)).toHaveLength(1);
    expect(byTool.received).toEqual(["c"]);
    expect(deliveriesIn(byTool.events)).toHaveLength(0);
  });

  test("lets its parent wait again", async () => {
    const answer: RunEventBody = {
      type: "step-finished",
      key: "model/2",
      kind: "model",
      durationMs: 0,
      value: { parts: [{ type: "text", text: "waiting" }], finish: "stop", warnings: [] },
    };
    const held: RunEventBody = { type: "children-awaited", runIds: ["c"] };
    const { received, result } = await goOn([answer, held], []);
    expect(received).toEqual([
      "[The background run main (run c) has ended: succeeded]\n\ndid child",
    ]);
    expect(result).toMatchObject({ text: "done", own: { turns: 1 } });
  });
});
