import { randomUUID } from "node:crypto";
import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

/** How much a session keeps for a client whose connection broke, in characters; the newest event is kept whatever its length. */
const longestMemory = 1_000_000;

interface Stored {
  streamId: string;
  message: JSONRPCMessage;
  length: number;
}

/** Remembers what was sent last, so that a client can take up a stream where its connection broke (`Last-Event-ID`). */
export function createEventStore(): EventStore {
  /** The oldest first. */
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
      if (streamId === undefined) throw new Error("The event is not known any more.");
      const ids = [...events.keys()];
      for (const id of ids.slice(ids.indexOf(lastId) + 1)) {
        const event = events.get(id);
        if (event?.streamId === streamId) await send(id, event.message);
      }
      return streamId;
    },
  };
}
