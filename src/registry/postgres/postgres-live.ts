import { createHash } from "node:crypto";
import { CadreError } from "../../errors.ts";
import type { LiveChannel } from "../live-channel.ts";
import type { Database } from "./connection/database.ts";
import { createMessageSeal, type MessageSeal } from "./message-seal.ts";
import type { Notifications } from "./notifications.ts";

/** The options of {@link createPostgresLive}. */
export interface PostgresLiveOptions {
  /** The schema without quotes. */
  schema: string;
  quoted: string;
  ownerId: string;
  changes: Pick<Notifications, "listenTo">;
}

/** A notification has at most 7,999 bytes: a message and the overhead of its seal, plus a third for base64. */
const maxBytes = 5900;

function keyMissing(schema: string): CadreError {
  const message = `Expected the key of live text in the table live_key of the schema ${schema}; the table is empty. Give it a secret key: INSERT INTO ${schema}.live_key VALUES (gen_random_uuid()::text || gen_random_uuid()::text).`;
  return new CadreError("registry-unavailable", message);
}

/**
 * Creates the channel between the processes that share a schema. It uses notifications, which only users who may read the
 * schema's tables can read.
 */
export function createPostgresLive(
  database: Pick<Database, "query">,
  { schema, quoted, ownerId, changes }: PostgresLiveOptions,
): LiveChannel {
  let seal: Promise<MessageSeal> | undefined;

  async function readSeal(): Promise<MessageSeal> {
    const [row] = await database.query(`SELECT key FROM ${quoted}.live_key`);
    if (row === undefined) throw keyMissing(schema);
    return createMessageSeal(String(row["key"]));
  }

  /** Reads the key once, and again after a failure. */
  async function findSeal(): Promise<MessageSeal> {
    seal ??= readSeal();
    try {
      return await seal;
    } catch (error) {
      seal = undefined;
      throw error;
    }
  }

  // Channel names are limited to 63 bytes.
  const channelOf = (topic: string): string =>
    `cadre:${createHash("sha256").update(`${schema} ${topic}`).digest("hex").slice(0, 40)}`;

  return {
    id: ownerId,
    maxBytes,
    async send(topic, messages) {
      const { close } = await findSeal();
      await database.query(
        `SELECT pg_notify($1, payload)
          FROM (SELECT payload FROM unnest($2::text[]) WITH ORDINALITY AS given (payload, place) ORDER BY place) AS sorted`,
        [channelOf(topic), messages.map(close)],
        { name: "live", isGated: false },
      );
    },
    listen: (topic, listener) =>
      changes.listenTo(channelOf(topic), (payload) => {
        if (payload === undefined) return listener(undefined);
        const opened = findSeal().then(({ open }) => open(payload));
        opened.then(
          (message) => message !== undefined && listener(message),
          // Without the key, no live text can be read; recorded text can.
          () => undefined,
        );
      }),
  };
}
