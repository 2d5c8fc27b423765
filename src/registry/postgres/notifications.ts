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
   * Calls `listener` after each change of these kinds by another process, and when there may have been one. It gets the ids of the
   * runs that ended; `undefined` = it may be any run. Statements that are executed from now on wait until it hears of every later
   * change. Returns the function that stops it.
   */
  listen(kinds: readonly ChangeKind[], listener: (ended?: readonly string[]) => void): () => void;
  /**
   * Calls `listener` with each notification of another channel, and with `undefined` when some may have been lost. Returns the function
   * that stops it.
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
  watch: Pick<SchemaWatch, "saw">;
}

/** Each kind has a channel, so that a worker is not woken by the events of all others. A channel has at most 63 bytes, a schema 50. */
const channelEnds: Readonly<Record<ChangeKind, string>> = {
  end: "",
  event: ":event",
  request: ":to",
};

/** Creates the notifications of `database`. Nothing listens before the first call of `listen`. */
export function createNotifications(
  database: Pick<Database, "query" | "connect" | "waitFor">,
  options: NotificationsOptions,
): Notifications {
  const { schema, ownerId, clock } = options;
  const channelOf = (kind: ChangeKind): string => `cadre:${schema}${channelEnds[kind]}`;
  const heard = new Map<string, Set<(payload: string | undefined) => void>>();
  let listening: Listening | undefined;

  /** Tells every listener that it may have missed something; with `channels`, those of these alone. */
  function tell(channels: Iterable<string> = heard.keys()): void {
    for (const channel of channels) heard.get(channel)?.forEach((listener) => listener(undefined));
  }

  function start(channel: string): Listening {
    const started = listen({
      connect: database.connect,
      channel,
      clock,
      onMessage: (payload, name) => heard.get(name)?.forEach((listener) => listener(payload)),
      onGap: tell,
      look: createLook(options, () => tell(everyChange.map(channelOf))),
    });
    database.waitFor(started.ready);
    return started;
  }

  function hear(channel: string, listener: (payload: string | undefined) => void): () => void {
    const isHeard = heard.has(channel);
    const ofChannel = heard.get(channel) ?? new Set();
    // Of its own, since the same function may listen twice.
    const own = (payload: string | undefined): void => listener(payload);
    heard.set(channel, ofChannel.add(own));
    if (listening === undefined) listening = start(channel);
    else if (!isHeard) database.waitFor(listening.add(channel));
    return () => void ofChannel.delete(own);
  }

  return {
    announce: createAnnouncer(database, { channelOf, ownerId, clock }),
    listen(kinds, listener) {
      const stops = kinds.map((kind) =>
        hear(channelOf(kind), (payload = "") => {
          const [sender, ...ended] = payload.split(" ");
          if (sender !== ownerId) listener(ended.length === 0 ? undefined : ended);
        }),
      );
      return () => stops.forEach((stop) => stop());
    },
    hear,
    close: async () => await listening?.close(),
  };
}

/** Creates the search for changes whose sender was killed before it could tell of them, and for a migration. */
function createLook(
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
    watch.saw(schemaVersion);
    const version = `${String(event)} ${String(request)}`;
    const hasChanged = before !== undefined && version !== before;
    before = version;
    if (hasChanged && event !== ownPosition()) onChange();
  };
}
