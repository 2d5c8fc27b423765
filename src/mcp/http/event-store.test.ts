import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { createEventStore } from "./event-store.ts";

function notification(method: string): JSONRPCMessage {
  return { jsonrpc: "2.0", method };
}

const long = "x".repeat(600_000);

test("the events after a given one are sent again, of its stream only", async () => {
  const store = createEventStore();
  const first = await store.storeEvent("a", notification("one"));
  await store.storeEvent("b", notification("other"));
  const second = await store.storeEvent("a", notification("two"));
  const sent: unknown[] = [];
  const send = (id: string, message: JSONRPCMessage): Promise<void> => {
    sent.push([id, message]);
    return Promise.resolve();
  };
  expect(await store.replayEventsAfter(first, { send })).toBe("a");
  expect(sent).toEqual([[second, notification("two")]]);
  expect(await store.getStreamIdForEventId?.(second)).toBe("a");
});

test("the oldest events are dropped above the limit, the newest never", async () => {
  const store = createEventStore();
  const streamOf = async (id: string): Promise<string | undefined> =>
    await store.getStreamIdForEventId?.(id);
  const first = await store.storeEvent("a", notification(long));
  expect(await streamOf(first)).toBe("a");
  const second = await store.storeEvent("a", notification(long));
  expect(await streamOf(first)).toBeUndefined();
  expect(await streamOf(second)).toBe("a");
  const third = await store.storeEvent("a", notification(long + long));
  expect(await streamOf(second)).toBeUndefined();
  expect(await streamOf(third)).toBe("a");
  await expect(store.replayEventsAfter(first, { send: () => Promise.resolve() })).rejects.toThrow(
    "no longer known",
  );
});
