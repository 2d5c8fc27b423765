import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createFakeClock } from "../../../test/fixtures/fake-clock.ts";
import type { LiveChannel } from "../../registry/live-channel.ts";
import { type Activities, createActivities } from "./activities.ts";
import { parsePieces } from "./live-message.ts";
import { shareOutput } from "./share-output.ts";

/** A store that several processes share, with a connection that loses messages. */
function createStore() {
  const listeners = new Map<string, Set<(message: string | undefined) => void>>();
  const sent: { topic: string; message: string }[] = [];
  const store = {
    sent,
    isBroken: false,
    open: (id: string): LiveChannel => ({
      id,
      maxBytes: 5900,
      send(topic, messages) {
        for (const message of messages) {
          sent.push({ topic, message });
          if (!store.isBroken) listeners.get(topic)?.forEach((listener) => listener(message));
        }
        return Promise.resolve();
      },
      listen(topic, listener) {
        const ofTopic = listeners.get(topic) ?? new Set();
        listeners.set(topic, ofTopic.add(listener));
        return () => void ofTopic.delete(listener);
      },
    }),
  };
  return store;
}

/** A worker that executes the run `r-1`, and another process that may read it. */
function createFixture() {
  const store = createStore();
  const clock = createFakeClock();
  const [worker, reader] = [createActivities(clock), createActivities(clock)];
  const share = (): void => shareOutput({ activities: worker, live: store.open("worker"), clock });
  share();
  const live = store.open("reader");
  const read = (run = "r-1"): (() => void) => reader.watch(run, () => undefined, live);
  /** Lets what has happened arrive. */
  const pass = async (ms = 100): Promise<void> => {
    await turn();
    clock.advance(ms);
    await turn();
  };
  return { store, clock, worker, reader, share, read, pass };
}

const piece = { runId: "r-1", step: "model/1", type: "text", id: "a" } as const;

function repliesOf(activities: Activities, run = "r-1"): string[][] {
  return [...activities.replies(run)].map(({ blocks }) => blocks.map(({ text }) => text));
}

describe("output of another process", () => {
  test("is neither streamed nor sent before its first reader comes and after the last one leaves", async () => {
    const { store, worker, read, pass } = createFixture();
    store.sent.length = 0;
    worker.publish({ ...piece, text: "for nobody" });
    await pass(60_000);
    expect(store.sent).toEqual([]);
    expect(worker.isWatched("r-1")).toBe(false);
    const [first, second] = [read(), read()];
    await pass();
    expect(worker.isWatched("r-1")).toBe(true);
    expect(worker.isWatched("r-2")).toBe(false);
    first();
    await pass();
    expect(worker.isWatched("r-1")).toBe(true);
    second();
    await pass();
    expect(worker.isWatched("r-1")).toBe(false);
    store.sent.length = 0;
    await pass(60_000);
    expect(store.sent).toEqual([]);
  });

  test("arrives from the beginning of the reply, in one message for all of 100 ms", async () => {
    const { store, worker, reader, read, pass } = createFixture();
    worker.publish({ ...piece, text: "one " });
    const stop = read();
    await pass();
    expect(repliesOf(reader)).toEqual([["one "]]);
    store.sent.length = 0;
    for (const text of ["two ", "three"]) worker.publish({ ...piece, text });
    worker.publish({ ...piece, type: "tool-input", id: "b", tool: "Bash", text: "" });
    await pass();
    expect(store.sent).toHaveLength(1);
    expect([...reader.replies("r-1")]).toMatchObject([
      {
        step: "model/1",
        blocks: [{ text: "one two three" }, { type: "tool-input", tool: "Bash" }],
      },
    ]);
    stop();
    expect(repliesOf(reader)).toEqual([]);
  });

  test("begins anew when the request was repeated", async () => {
    const { worker, reader, read, pass } = createFixture();
    read();
    await pass();
    worker.publish({ ...piece, text: "first attempt" });
    await pass();
    const [before] = reader.replies("r-1");
    worker.endReply("r-1", "model/1");
    worker.publish({ ...piece, text: "second" });
    await pass();
    expect(repliesOf(reader)).toEqual([["second"]]);
    expect([...reader.replies("r-1")][0]).not.toBe(before);
  });

  test("of any length and with any characters fits messages, and arrives whole", async () => {
    const { store, worker, reader, read, pass } = createFixture();
    read();
    await pass();
    const text = `${"\u0000".repeat(3000)}${"😀".repeat(3001)}${"x".repeat(20_000)}`;
    worker.publish({ ...piece, text });
    await pass();
    expect(repliesOf(reader)).toEqual([[text]]);
    const sizes = store.sent.map(({ message }) => Buffer.byteLength(message));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(5900);
  });

  test("of a call arrives as far as it is kept", async () => {
    const { worker, reader, read, pass } = createFixture();
    read();
    await pass();
    const output = { runId: "r-1", step: "tool/1/0", type: "tool-output" } as const;
    worker.publish({ ...output, text: "one " });
    await pass();
    worker.publish({ ...output, text: "x".repeat(40_000) });
    await pass();
    const [live] = reader.outputs("r-1");
    expect(live?.text).toMatch(/^x{32768}$/);
    expect(live?.total).toBe(4 + "\n[7232 characters left out]\n".length + 32_768);
  });

  test("that got lost arrives after the reader's next announcement", async () => {
    const { store, worker, reader, read, pass } = createFixture();
    read();
    await pass();
    worker.publish({ ...piece, text: "one " });
    await pass();
    store.isBroken = true;
    worker.publish({ ...piece, text: "two " });
    await pass();
    store.isBroken = false;
    worker.publish({ ...piece, text: "three" });
    await pass();
    expect(repliesOf(reader)).toEqual([["one "]]);
    await pass(3000);
    await pass();
    expect(repliesOf(reader)).toEqual([["one two three"]]);
  });

  test("arrives from a process that begins to execute the run later", async () => {
    const { store, worker, share, read, pass } = createFixture();
    store.isBroken = true;
    read();
    await pass();
    expect(worker.isWatched("r-1")).toBe(false);
    store.isBroken = false;
    share();
    expect(worker.isWatched("r-1")).toBe(true);
  });

  test("is no longer sent to a reader that was killed", async () => {
    const { store, worker, read, pass } = createFixture();
    read();
    await pass();
    expect(worker.isWatched("r-1")).toBe(true);
    store.isBroken = true;
    await pass(25_000);
    expect(worker.isWatched("r-1")).toBe(false);
  });

  test("is announced in few messages, however many runs are read", async () => {
    const { store, worker, reader, read, pass } = createFixture();
    store.sent.length = 0;
    const runs = Array.from({ length: 1000 }, (_, at) => `r-${at}`);
    const stops = runs.map(read);
    await pass(0);
    expect(store.sent).toHaveLength(10);
    expect(runs.every(worker.isWatched)).toBe(true);
    for (const runId of runs) worker.publish({ ...piece, runId, text: runId });
    store.sent.length = 0;
    await pass();
    expect(store.sent.length).toBeLessThan(50);
    expect(repliesOf(reader, "r-999")).toEqual([["r-999"]]);
    stops.forEach((stop) => stop());
    await pass();
    expect(runs.some(worker.isWatched)).toBe(false);
  });
});

test.each([
  "",
  "[",
  "{}",
  '[{"run":1}]',
  '[{"run":"r","step":"s","reply":"","block":-1,"type":"text","at":0,"text":""}]',
])("the message %j of another program is ignored", (message) => {
  expect(parsePieces(message)).toEqual([]);
});
