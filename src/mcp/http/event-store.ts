import { randomUUID } from "node:crypto";
import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

/** The maximum number of characters that a session stores for a broken connection. The newest event is always stored. */
const maxStoredLength = 1_000_000;

interface Stored {
  streamId: string;
  message: JSONRPCMessage;
  length: number;
}

/** Creates a store of the latest events. A client with a broken connection uses it to continue its stream (`Last-Event-ID`). */
export function createEventStore(): EventStore {
  /** Oldest first. */
  const events = new Map<string, Stored>();
  let length = 0;

  function forget(): void {
    for (const [id, event] of events) {
      if (length <= maxStoredLength || events.size === 1) return;
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
