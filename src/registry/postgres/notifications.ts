import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "pg";
import type { Clock } from "../../clock.ts";
import type { Row } from "./connections.ts";
import type { Database } from "./database.ts";

/** What a process tells the others: it wrote events, or sent a request. */
export type ChangeKind = "events" | "request";

/** Notifications of the database by other processes. */
export interface Notifications {
  /** Tells the other processes of a change of this one, shortly after the call. */
  announce(kind: ChangeKind): void;
  /**
   * Calls `listener` after each change by another process, and when there may have been one. Statements that are executed from
   * now on wait until it hears of every later change. Returns the function that stops it.
   */
  listen(listener: (kind: ChangeKind) => void): () => void;
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

/** The shortest time between two notifications by one process, in milliseconds. */
const announceMs = 20;
/** The interval of the search for changes that no notification told of, in milliseconds: their sender may have been killed. */
const pollMs = 1000;
/** The pause before the next attempt to listen, in milliseconds. */
const againMs = 250;

/** Creates the changes of `database`. Nothing listens before the first call of `listen`. */
export function createNotifications(
  database: Pick<Database, "query" | "connect" | "waitFor">,
  options: NotificationsOptions,
): Notifications {
  const { schema, quoted, ownerId, clock, ownPosition } = options;
  const channel = `cadre:${schema}`;
  const listeners = new Set<(kind: ChangeKind) => void>();
  const closing = new AbortController();
  const announce = createAnnouncer(database, { channel, ownerId, clock });
  let client: Client | undefined;
  let isListening = false;
  let version = "";

  function tell(kind: ChangeKind): void {
    for (const listener of listeners) listener(kind);
  }

  function tellAll(): void {
    tell("request");
    tell("events");
  }

  /** Over the connection that listens, which shows when that is broken. */
  async function readVersion(over: Client): Promise<{ version: string; isOwn: boolean }> {
    const { rows } = await over.query<Row>(
      `SELECT (SELECT position FROM ${quoted}.events ORDER BY xid DESC, position DESC LIMIT 1) AS event,
          (SELECT max(id) FROM ${quoted}.requests) AS request`,
    );
    const isOwn = rows[0]?.["event"] === ownPosition();
    return { version: `${String(rows[0]?.["event"])} ${String(rows[0]?.["request"])}`, isOwn };
  }

  async function connect(): Promise<void> {
    const opened = await database.connect();
    if (closing.signal.aborted) return await opened.end();
    client = opened;
    opened.on("notification", ({ payload = "" }) => {
      const [kind, sender] = payload.split(" ");
      if (sender !== ownerId) tell(kind === "request" ? "request" : "events");
    });
    opened.once("end", () => {
      client = undefined;
      void reconnect();
    });
    await opened.query(`LISTEN "${channel}"`);
    ({ version } = await readVersion(opened));
    // A registry that nobody closes must not keep its process alive.
    (opened as Client & { unref: () => void }).unref();
  }

  /** Listens again after the connection broke. What happened meanwhile is unknown. */
  async function reconnect(): Promise<void> {
    while (!closing.signal.aborted) {
      await delay(againMs, undefined, { ref: false });
      if (closing.signal.aborted) return;
      try {
        await connect();
        return tellAll();
      } catch {
        // Tried again, unless the end of a new connection has begun that already.
        if (client !== undefined) return await client.end().catch(() => undefined);
      }
    }
  }

  async function poll(): Promise<void> {
    const over = client;
    try {
      if (over !== undefined) {
        const found = await readVersion(over);
        if (found.version !== version && !found.isOwn) tellAll();
        version = found.version;
      }
    } catch {
      // The end of the connection is followed by another one.
      await over?.end().catch(() => undefined);
    }
    schedulePoll();
  }

  function schedulePoll(): void {
    if (!closing.signal.aborted) clock.scheduleIdly(pollMs, () => void poll());
  }

  function start(): void {
    isListening = true;
    database.waitFor(connect().catch(() => void reconnect()));
    schedulePoll();
  }

  return {
    announce,
    listen(listener) {
      if (!isListening) start();
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async close() {
      closing.abort();
      await client?.end().catch(() => undefined);
    },
  };
}

/**
 * Creates a function that notifies the other processes. A notification within the transaction of the events would make all
 * transactions of the server commit one after the other.
 */
function createAnnouncer(
  database: Pick<Database, "query">,
  {
    channel,
    ownerId,
    clock,
  }: { channel: string; ownerId: string; clock: NotificationsOptions["clock"] },
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
      // The others look for changes themselves.
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
