import { randomUUID } from "node:crypto";
import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

/** The maximum characters a session keeps for a client with a broken connection; the newest event is always kept. */
const longestMemory = 1_000_000;

interface Stored {
  streamId: string;
  message: JSONRPCMessage;
  length: number;
}

/** Creates a store of the latest events, so that a client can continue a stream after its connection broke (`Last-Event-ID`). */
export function createEventStore(): EventStore {
  /** Oldest first. */
  const events = new Map<string, Stored>();
  let length = 0;

  function forget(): void {
    for (const [id, event] of events) {
      if (length <= longestMemory || events.size === 1) return;
      events.delete(id);
      length -= event.length;
    }
  }

  return {
    storeEvent(streamId, message) {
      const id = randomUUID();
      const event = { streamId, message, length: JSON.stringify(message).length };
      events.set(id, event);
      length += event.length;
      forget();
      return Promise.resolve(id);
    },
    getStreamIdForEventId: (id) => Promise.resolve(events.get(id)?.streamId),
    async replayEventsAfter(lastId, { send }) {
      const streamId = events.get(lastId)?.streamId;
      if (streamId === undefined) throw new Error("The event is no longer known.");
      const ids = [...events.keys()];
      for (const id of ids.slice(ids.indexOf(lastId) + 1)) {
        const event = events.get(id);
        if (event?.streamId === streamId) await send(id, event.message);
      }
      return streamId;
    },
  };
}
