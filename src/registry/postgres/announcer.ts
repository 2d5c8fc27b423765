import type { Clock } from "../../clock.ts";
import type { Database } from "./connection/database.ts";

/** A change by another process: runs ended, other events were written, or a request was sent. */
export type ChangeKind = "end" | "event" | "request";

/** Notifies the other processes of a change by this one, shortly after the call: that the runs `ended` have ended, or another change. */
export type Announce = (kind: ChangeKind, ended?: readonly string[]) => void;

/** The minimum time between two notifications by one process, in milliseconds. */
const announceMs = 20;
/** A notification has at most 7,999 bytes. */
const maxBytes = 7999;

/**
 * Creates a function that notifies the other processes. A notification in the events' transaction would serialize the commits of
 * all the server's transactions.
 */
export function createAnnouncer(
  database: Pick<Database, "query">,
  {
    channelOf,
    ownerId,
    clock,
  }: {
    channelOf: (kind: ChangeKind) => string;
    ownerId: string;
    clock: Pick<Clock, "scheduleIdly">;
  },
): Announce {
  const waiting = new Map<ChangeKind, string[]>();
  let isPaused = false;

  function send(): void {
    if (waiting.size === 0) return;
    const channels = Array.from(waiting.keys(), channelOf);
    const payloads = Array.from(waiting.values(), (ended) => toPayload(ownerId, ended));
    waiting.clear();
    isPaused = true;
    database
      .query(
        "SELECT pg_notify(channel, payload) FROM unnest($1::text[], $2::text[]) AS given (channel, payload)",
        [channels, payloads],
        {
          name: "notify",
          isGated: false,
        },
      )
      // The other processes look for changes themselves.
      .catch(() => undefined)
      .finally(() => {
        clock.scheduleIdly(announceMs, () => {
          isPaused = false;
          send();
        });
      });
  }

  return (kind, ended = []) => {
    waiting.set(kind, [...(waiting.get(kind) ?? []), ...ended]);
    if (!isPaused) send();
  };
}

/** Returns the sender and the ids of ended runs; the sender alone when they are too long. */
function toPayload(ownerId: string, ended: readonly string[]): string {
  const payload = [ownerId, ...ended].join(" ");
  return Buffer.byteLength(payload) > maxBytes ? ownerId : payload;
}
