import type { Client } from "pg";
import type { Clock } from "../../clock.ts";
import type { Row } from "./connection/connections.ts";
import type { Database } from "./connection/database.ts";
import { listen, type Listening } from "./connection/listen.ts";

/** A notification to other processes: events were written, or a request was sent. */
export type ChangeKind = "events" | "request";

/** Changes of the database by other processes. */
export interface Notifications {
  /** Notifies the other processes of a change by this one, shortly after the call. */
  announce(kind: ChangeKind): void;
  /**
   * Calls `listener` after each change by another process, and when a change may have been missed. Later statements wait until
   * every later change is received. Returns the function that stops listening.
   */
  listen(listener: (kind: ChangeKind) => void): () => void;
  /**
   * Calls `listener` with each notification on another channel, and with `undefined` when some may have been lost. Returns the
   * function that stops listening.
   */
  hear(channel: string, listener: (payload: string | undefined) => void): () => void;
  close(): Promise<void>;
}

/** The options of {@link createNotifications}. */
export interface NotificationsOptions {
  /** The schema without quotes. */
  schema: string;
  quoted: string;
  ownerId: string;
  clock: Pick<Clock, "scheduleIdly">;
  /** The position of the last event of this process. */
  ownPosition: () => number;
}

/** The minimum time between two notifications by one process, in milliseconds. */
const announceMs = 20;

/** Creates the notifications of `database`. It listens from the first call of `listen`. */
export function createNotifications(
  database: Pick<Database, "query" | "connect" | "waitFor">,
  options: NotificationsOptions,
): Notifications {
  const { schema, ownerId, clock } = options;
  const channel = `cadre:${schema}`;
  const listeners = new Set<(kind: ChangeKind) => void>();
  const heard = new Map<string, Set<(payload: string | undefined) => void>>();
  let listening: Listening | undefined;
  const tell = (kind: ChangeKind): void => listeners.forEach((listener) => listener(kind));
  const tellAll = (): void => (tell("request"), tell("events"));

  function start(): Listening {
    const started = listen({
      connect: database.connect,
      channel,
      clock,
      onMessage(payload, name) {
        if (name !== channel) {
          heard.get(name)?.forEach((listener) => listener(payload));
          return;
        }
        const [kind, sender] = payload.split(" ");
        if (sender !== ownerId) tell(kind === "request" ? "request" : "events");
      },
      onGap() {
        tellAll();
        for (const ofChannel of heard.values())
          ofChannel.forEach((listener) => listener(undefined));
      },
      look: createLook(options, tellAll),
    });
    database.waitFor(started.ready);
    return started;
  }

  return {
    announce: createAnnouncer(database, { channel, ownerId, clock }),
    listen(listener) {
      listening ??= start();
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    hear(name, listener) {
      listening ??= start();
      const ofChannel = heard.get(name) ?? new Set();
      // A separate function, because the same listener may be added twice.
      const own = (payload: string | undefined): void => listener(payload);
      heard.set(name, ofChannel.add(own));
      listening.add(name);
      return () => void ofChannel.delete(own);
    },
    close: async () => await listening?.close(),
  };
}

/** Creates the search for changes whose sender was killed before it sent a notification. */
function createLook(
  { quoted, ownPosition }: NotificationsOptions,
  onChange: () => void,
): (client: Client) => Promise<void> {
  let before: string | undefined;
  return async (client) => {
    const { rows } = await client.query<Row>(
      `SELECT (SELECT position FROM ${quoted}.events ORDER BY xid DESC, position DESC LIMIT 1) AS event,
          (SELECT max(id) FROM ${quoted}.requests) AS request`,
    );
    const { event, request } = rows[0] ?? {};
    const version = `${String(event)} ${String(request)}`;
    const hasChanged = before !== undefined && version !== before;
    before = version;
    if (hasChanged && event !== ownPosition()) onChange();
  };
}

/**
 * Creates a function that notifies the other processes. A notification in the events' transaction would serialize the commits of
 * all the server's transactions.
 */
function createAnnouncer(
  database: Pick<Database, "query">,
  {
    channel,
    ownerId,
    clock,
  }: { channel: string; ownerId: string; clock: Pick<Clock, "scheduleIdly"> },
): Notifications["announce"] {
  const waiting = new Set<ChangeKind>();
  let isPaused = false;

  function send(): void {
    if (waiting.size === 0) return;
    const payloads = Array.from(waiting, (kind) => `${kind} ${ownerId}`);
    waiting.clear();
    isPaused = true;
    database
      .query(
        "SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload",
        [channel, payloads],
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

  return (kind) => {
    waiting.add(kind);
    if (!isPaused) send();
  };
}
