import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Cadre, RunEvent } from "../../host.ts";
import { createEventFeed } from "./event-feed.ts";

type Journal = Parameters<typeof createEventFeed>[0] & {
  append(count: number): Promise<void>;
  /** How many events were read. */
  readonly read: number;
};

/** A journal in memory. The positions are the numbers of its events. */
function createJournal(): Journal {
  const events: RunEvent[] = [];
  const listeners = new Set<() => void>();
  let read = 0;
  return {
    get read() {
      return read;
    },
    async append(count) {
      for (let one = 0; one < count; one += 1) {
        const event = {
          runId: "r",
          seq: events.length + 1,
          at: 0,
          type: "run-started",
          owner: "o",
        };
        events.push(event as RunEvent);
      }
      for (const listener of listeners) listener();
      await turn();
    },
    position: async () => await Promise.resolve(String(events.length)),
    tree: async () => await Promise.resolve([]),
    async *events({ after = "0", live = true, signal }: Parameters<Cadre["events"]>[0] & {} = {}) {
      for (let index = Number(after); ; index += 1) {
        const event = events[index];
        if (event === undefined && !live) return;
        if (event === undefined) {
          const came = Promise.withResolvers<void>();
          listeners.add(came.resolve);
          signal?.addEventListener("abort", () => came.resolve());
          await came.promise;
          listeners.delete(came.resolve);
          if (signal?.aborted === true) return;
          index -= 1;
          continue;
        }
        read += 1;
        await turn();
        yield { position: String(index + 1), event };
      }
    },
  };
}

test("readers at many places get each event once, in order, and share what is read", async () => {
  const journal = createJournal();
  await journal.append(5000);
  const ending = new AbortController();
  const feed = createEventFeed(journal, ending.signal);
  const total = 7000;
  const readers = Array.from({ length: 60 }, async (_, reader) => {
    const leaving = new AbortController();
    const ids: number[] = [];
    const after = reader * 37;
    for await (const bytes of feed.follow({ after: String(after) }, leaving.signal)) {
      const text = new TextDecoder().decode(bytes);
      for (const [, id] of text.matchAll(/^id: (\d+)$/gm)) ids.push(Number(id));
      if (ids.at(-1) === total) break;
      // Each reader consumes events at its own pace.
      for (let pause = 0; pause < reader % 7; pause += 1) await turn();
    }
    return { after, ids };
  });
  for (let count = 0; count < 20; count += 1) await journal.append(100);
  for (const { after, ids } of await Promise.all(readers)) {
    expect(ids).toEqual(Array.from({ length: total - after }, (_, index) => after + index + 1));
  }
  // The 60 readings begin at different positions; afterwards there is only one.
  expect(journal.read).toBeLessThan(10 * total);
  ending.abort();
});
