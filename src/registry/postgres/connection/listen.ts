import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "pg";
import type { Clock } from "../../../clock.ts";

/** The options of {@link listen}. */
export interface ListeningOptions {
  connect: () => Promise<Client>;
  channel: string;
  clock: Pick<Clock, "scheduleIdly">;
  /** Called with each notification. */
  onMessage: (payload: string) => void;
  /** Called when notifications may have been lost: after the connection broke. */
  onGap: () => void;
  /** Looks for changes that no notification told of, once a second, over the connection. Rejects when it is broken. */
  look: (client: Client) => Promise<void>;
}

/** A connection that hears of notifications, and is opened again when it breaks. */
export interface Listening {
  /** Resolves when it hears of every later notification, or when the first attempt failed. */
  ready: Promise<void>;
  close(): Promise<void>;
}

const lookMs = 1000;
/** The pause before the next attempt to listen, in milliseconds. */
const againMs = 250;

/** Starts to listen. The connection does not keep the process alive. */
export function listen(options: ListeningOptions): Listening {
  const { connect, channel, clock, onMessage, onGap, look } = options;
  const first = Promise.withResolvers<void>();
  let client: Client | undefined;
  const closing = new AbortController();
  const { signal: closed } = closing;

  async function open(): Promise<Client> {
    const opened = await connect();
    try {
      opened.on("notification", ({ payload = "" }) => onMessage(payload));
      await opened.query(`LISTEN "${channel}"`);
      await look(opened);
    } catch (error) {
      await opened.end();
      throw error;
    }
    (opened as Client & { unref: () => void }).unref();
    return opened;
  }

  function scheduleLook(over: Client): void {
    clock.scheduleIdly(lookMs, () => {
      if (client !== over) return;
      look(over).then(
        () => scheduleLook(over),
        () => over.end(),
      );
    });
  }

  async function keepOpen(): Promise<void> {
    for (let isFirst = true; !closed.aborted; isFirst = false) {
      try {
        client = await open();
        first.resolve();
        if (!isFirst) onGap();
        scheduleLook(client);
        if (closed.aborted) await client.end();
        else await once(client, "end");
      } catch {
        // The statements of the registry report a server that is away.
        first.resolve();
      }
      client = undefined;
      if (!closed.aborted) await delay(againMs, undefined, { ref: false });
    }
  }

  void keepOpen();
  return {
    ready: first.promise,
    async close() {
      closing.abort();
      await client?.end();
    },
  };
}
