import type { Client } from "pg";
import type { Clock } from "../../clock.ts";
import type { Row } from "./connection/connections.ts";
import { type Announce, type ChangeKind, createAnnouncer } from "./announcer.ts";
import type { Database } from "./connection/database.ts";
import { listen, type Listening } from "./connection/listen.ts";
import type { SchemaWatch } from "./connection/schema-watch.ts";

/** All kinds of changes. */
export const everyChange: readonly ChangeKind[] = ["end", "event", "request"];

/** Changes of the database by other processes. */
export interface Notifications {
  announce: Announce;
  /**
   * Calls `listener` after each change of these kinds by another process, with the ids of the runs that ended, and with `undefined`
   * when it may be any run or a change may have been missed. Later statements wait until every later change is received. Returns the
   * function that stops listening.
   */
  listen(kinds: readonly ChangeKind[], listener: (ended?: readonly string[]) => void): () => void;
  /**
   * Calls `listener` with each notification on another channel, and with `undefined` when some may have been lost. Returns the
   * function that stops listening.
   */
  listenTo(channel: string, listener: (payload: string | undefined) => void): () => void;
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
  watch: Pick<SchemaWatch, "update">;
}

/** Each kind has its own channel, so events do not wake workers. A channel name has at most 63 bytes, a schema 50. */
const channelEnds: Readonly<Record<ChangeKind, string>> = {
  end: "",
  event: ":event",
  request: ":to",
};

/** Creates the notifications of `database`. It listens from the first call of `listen`. */
export function createNotifications(
  database: Pick<Database, "query" | "connect" | "waitFor">,
  options: NotificationsOptions,
): Notifications {
  const { schema, ownerId, clock } = options;
  const channelOf = (kind: ChangeKind): string => `cadre:${schema}${channelEnds[kind]}`;
  const listeners = new Map<string, Set<(payload: string | undefined) => void>>();
  let listening: Listening | undefined;

  /** Notifies every listener of a possible gap; with `channels`, only those of these channels. */
  function notifyGap(channels: Iterable<string> = listeners.keys()): void {
    for (const channel of channels)
      listeners.get(channel)?.forEach((listener) => listener(undefined));
  }

  function start(channel: string): Listening {
    const started = listen({
      connect: database.connect,
      channel,
      clock,
      onMessage: (payload, name) => listeners.get(name)?.forEach((listener) => listener(payload)),
      onGap: notifyGap,
      poll: createPoll(options, () => notifyGap(everyChange.map(channelOf))),
    });
    database.waitFor(started.ready);
    return started;
  }

  function listenTo(channel: string, listener: (payload: string | undefined) => void): () => void {
    const isListening = listeners.has(channel);
    const ofChannel = listeners.get(channel) ?? new Set();
    // A separate function, because the same listener may be added twice.
    const own = (payload: string | undefined): void => listener(payload);
    listeners.set(channel, ofChannel.add(own));
    if (listening === undefined) listening = start(channel);
    else if (!isListening) database.waitFor(listening.add(channel));
    return () => void ofChannel.delete(own);
  }

  return {
    announce: createAnnouncer(database, { channelOf, ownerId, clock }),
    listen(kinds, listener) {
      const stops = kinds.map((kind) =>
        listenTo(channelOf(kind), (payload = "") => {
          const [sender, ...ended] = payload.split(" ");
          if (sender !== ownerId) listener(ended.length === 0 ? undefined : ended);
        }),
      );
      return () => stops.forEach((stop) => stop());
    },
    listenTo,
    close: async () => await listening?.close(),
  };
}

/** Creates the search for changes whose sender was killed before it sent a notification, and for a migration. */
function createPoll(
  { quoted, ownPosition, watch }: NotificationsOptions,
  onChange: () => void,
): (client: Client) => Promise<void> {
  let before: string | undefined;
  return async (client) => {
    const { rows } = await client.query<Row>(
      `SELECT (SELECT position FROM ${quoted}.events ORDER BY xid DESC, position DESC LIMIT 1) AS event,
          (SELECT max(id) FROM ${quoted}.requests) AS request,
          (SELECT max(version) FROM ${quoted}.schema_version) AS schema_version`,
    );
    const { event, request, schema_version: schemaVersion } = rows[0] ?? {};
    watch.update(schemaVersion);
    const version = `${String(event)} ${String(request)}`;
    const hasChanged = before !== undefined && version !== before;
    before = version;
    if (hasChanged && event !== ownPosition()) onChange();
  };
}
