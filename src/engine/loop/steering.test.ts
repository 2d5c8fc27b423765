import { describe, expect, test } from "vitest";
import {
  createEngineFixture,
  createTestTool,
  type EngineGiven,
  type EngineFixture,
  eventually,
} from "../../../test/fixtures/engine-fixture.ts";
import { leaveRuns } from "../../../test/fixtures/left-run.ts";
import type { RunEvent, RunEventBody } from "../../run/event.ts";

const steering = "[Message from user]:\nlook at auth first";

/** A run whose first call ends when it is released; it answers with the last message. */
function createBusyFixture(given: EngineGiven = {}): EngineFixture & { letGo: () => void } {
  const gate = Promise.withResolvers<string>();
  const fixture = createEngineFixture({
    tools: [createTestTool("Work", () => gate.promise)],
    script: ({ turn, last }) =>
      turn === 0 ? { calls: [{ tool: "Work", input: {} }] } : { text: last },
    ...given,
  });
  return { ...fixture, letGo: () => gate.resolve("worked") };
}

async function isAtWork({ registry }: EngineFixture, id: string): Promise<void> {
  await eventually(async () => ((await registry.run(id))?.openSteps === 1 ? true : undefined));
}

const receipts = (events: readonly RunEvent[]) =>
  events.filter((event) => event.type === "messages-delivered");

describe("a message to a run", () => {
  test("is delivered before its next model step, and the journal has the receipt", async () => {
    const fixture = createBusyFixture();
    const id = await fixture.spawn();
    await isAtWork(fixture, id);
    const messageId = await fixture.engine.send(id, "look at auth first", "user");
    const queued = (await fixture.events(id)).at(-1);
    const message = { id: messageId, kind: "steering", from: "user", text: "look at auth first" };
    expect(queued).toMatchObject({ type: "message-queued", message });
    fixture.letGo();
    expect(await fixture.engine.result(id)).toMatchObject({ text: steering, turns: 2 });
    expect(receipts(await fixture.events(id))).toMatchObject([
      { step: "model/2", messages: [message] },
    ]);
  });

  test("is not delivered to a run that was cancelled during a call", async () => {
    const fixture = createBusyFixture();
    const id = await fixture.spawn();
    await isAtWork(fixture, id);
    await fixture.engine.send(id, "look at auth first", "user");
    const cancelling = fixture.engine.cancel(id, "enough", "user");
    await eventually(async () =>
      (await fixture.events(id)).some(({ type }) => type === "cancel-requested") ? true : undefined,
    );
    fixture.letGo();
    expect(await cancelling).toBe(true);
    expect(receipts(await fixture.events(id))).toEqual([]);
  });

  test("keeps it from ending if it arrives during the answer", async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const fixture = createEngineFixture({
      async script({ turn, last }) {
        if (turn > 0) return { text: last };
        asked.resolve();
        await answer.promise;
        return { text: "done" };
      },
    });
    const id = await fixture.spawn();
    await asked.promise;
    await fixture.engine.send(id, "look at auth first", "user");
    answer.resolve();
    expect(await fixture.engine.result(id)).toMatchObject({ text: steering, turns: 2 });
  });

  test("that waits for a slot or a dependency is delivered at its first step", async () => {
    const fixture = createBusyFixture({
      concurrency: 1,
      script: ({ task, turn, last, text }) => {
        if (task !== "do it") return { text };
        return turn === 0 ? { calls: [{ tool: "Work", input: {} }] } : { text: last };
      },
    });
    const first = await fixture.spawn();
    await isAtWork(fixture, first);
    const queued = await fixture.spawn({ task: "queued" });
    const waiting = await fixture.spawn({ task: "waiting", dependsOn: [queued] });
    for (const id of [queued, waiting]) await fixture.engine.send(id, "look at auth first", "user");
    fixture.letGo();
    expect(await fixture.engine.result(queued)).toMatchObject({ text: `queued\n${steering}` });
    expect(await fixture.engine.result(waiting)).toMatchObject({ text: `waiting\n${steering}` });
    expect(receipts(await fixture.events(waiting))).toMatchObject([{ step: "model/1" }]);
  });

  test("that has ended is refused", async () => {
    const fixture = createEngineFixture();
    const { runId } = await fixture.run();
    const before = await fixture.events(runId);
    expect(await fixture.engine.send(runId, "too late", "user")).toBeUndefined();
    expect(await fixture.engine.send("nobody", "hello", "user")).toBeUndefined();
    expect(await fixture.events(runId)).toEqual(before);
  });

  test("of another process is delivered, and its sender can see the receipt", async () => {
    const fixture = createBusyFixture();
    const id = await fixture.spawn();
    await isAtWork(fixture, id);
    const other = createEngineFixture({ path: fixture.path });
    const messageId = await other.engine.send(id, "look at auth first", "user");
    await eventually(async () =>
      (await other.events(id)).some(({ type }) => type === "message-queued") ? true : undefined,
    );
    fixture.letGo();
    expect(await fixture.engine.result(id)).toMatchObject({ text: steering });
    expect(receipts(await other.events(id))).toMatchObject([{ messages: [{ id: messageId }] }]);
    await eventually(async () =>
      (await other.registry.requestsTo(id)).length === 0 ? true : undefined,
    );
  });
});

const started: RunEventBody = { type: "run-started", owner: "1" };
const message = { id: "m", kind: "steering", from: "user", text: "look at auth first" } as const;

/** The answer of a run that an earlier process left with `events`, and that got a message before its resume. */
async function resumeAndListen(
  events: readonly RunEventBody[],
  says: (left: EngineFixture) => Promise<unknown>,
): Promise<{ text: string; receipts: number }> {
  const path = await leaveRuns([{ id: "r", events }]);
  const fixture = createEngineFixture({ path, script: ({ text }) => ({ text }) });
  await says(fixture);
  await fixture.engine.resume("r");
  const { text } = await fixture.engine.result("r");
  await eventually(async () =>
    (await fixture.registry.requestsTo("r")).length === 0 ? true : undefined,
  );
  return { text, receipts: receipts(await fixture.events("r")).length };
}

describe("after a crash, a message", () => {
  const nothing = async (): Promise<void> => undefined;
  const receivedOnce = { text: `do it\n${steering}`, receipts: 1 };

  test("that no process received is delivered to the resumed run, however quick that is", async () => {
    const send = async ({ engine }: EngineFixture): Promise<void> =>
      void (await engine.send("r", "look at auth first", "user"));
    expect(await resumeAndListen([started], send)).toEqual(receivedOnce);
    expect(await resumeAndListen([], send)).toEqual(receivedOnce);
  });

  test("that was received and not delivered is delivered once", async () => {
    expect(await resumeAndListen([started, { type: "message-queued", message }], nothing)).toEqual(
      receivedOnce,
    );
  });

  test("that was received while its request could not be removed is delivered once", async () => {
    const ask = async ({ registry }: EngineFixture): Promise<void> =>
      await registry.request("r", "message", message);
    const queued: RunEventBody = { type: "message-queued", message };
    expect(await resumeAndListen([started, queued], ask)).toEqual(receivedOnce);
  });

  test("that a repeated step sends again is delivered once, also when its run has not begun or has ended", async () => {
    const again = async ({ engine }: EngineFixture): Promise<void> => {
      expect(await engine.send("r", "look at auth first", "user", "m")).toBe("m");
    };
    const queued: RunEventBody = { type: "message-queued", message };
    expect(await resumeAndListen([started, queued], again)).toEqual(receivedOnce);
    const fixture = createEngineFixture({ path: await leaveRuns([{ id: "r", events: [queued] }]) });
    await fixture.engine.resume("r");
    await again(fixture);
    await fixture.engine.result("r");
    await again(fixture);
    expect(await fixture.engine.send("r", "look at auth first", "user", "n")).toBe(undefined);
    expect(receipts(await fixture.events("r"))).toMatchObject([{ messages: [{ id: "m" }] }]);
  });

  test("that was delivered in an unanswered step is part of that step again", async () => {
    const events: RunEventBody[] = [
      started,
      { type: "message-queued", message },
      { type: "messages-delivered", step: "model/1", messages: [message] },
    ];
    expect(await resumeAndListen(events, nothing)).toEqual(receivedOnce);
  });
});
