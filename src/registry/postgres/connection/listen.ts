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
  onMessage: (payload: string, channel: string) => void;
  /** Called when notifications may have been lost, after the connection broke. */
  onGap: () => void;
  /** Looks for changes without a notification, once a second, over the connection. Rejects when the connection is broken. */
  poll: (client: Client) => Promise<void>;
}

/** A connection that receives notifications, and is reopened when it breaks. */
export interface Listening {
  /** Resolves when it receives every later notification, or when the first attempt failed. */
  ready: Promise<void>;
  /** Listens to another channel, too. Resolves when it receives every later notification, or when the connection broke. */
  add(channel: string): Promise<void>;
  close(): Promise<void>;
}

const pollMs = 1000;
/** The pause before the next attempt to listen, in milliseconds. */
const retryDelayMs = 250;

/** Starts to listen. The connection does not keep the process alive. */
export function listen(options: ListeningOptions): Listening {
  const { connect, clock, onMessage, onGap, poll } = options;
  const first = Promise.withResolvers<void>();
  const channels = createChannels(options.channel);
  let client: Client | undefined;
  const closing = new AbortController();
  const { signal: closed } = closing;

  async function open(): Promise<Client> {
    const opened = await connect();
    try {
      opened.on("notification", ({ payload = "", channel }) => onMessage(payload, channel));
      await channels.listen(opened);
      await channels.inTurn(async () => await poll(opened));
    } catch (error) {
      await opened.end();
      throw error;
    }
    (opened as Client & { unref: () => void }).unref();
    return opened;
  }

  function schedulePoll(over: Client): void {
    clock.scheduleIdly(pollMs, () => {
      if (client !== over) return;
      channels
        .inTurn(async () => await poll(over))
        .then(
          () => schedulePoll(over),
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
        schedulePoll(client);
        if (closed.aborted) await client.end();
        else await once(client, "end");
      } catch {
        // The statements of the registry report an unreachable server.
        first.resolve();
      }
      client = undefined;
      if (!closed.aborted) await delay(retryDelayMs, undefined, { ref: false });
    }
  }

  void keepOpen();
  return {
    ready: first.promise,
    async add(channel) {
      await channels.add(channel);
      await first.promise;
    },
    async close() {
      closing.abort();
      await client?.end();
    },
  };
}

/** The channels that a connection listens to. */
interface Channels {
  /** Listens to all channels over a new connection. */
  listen(client: Client): Promise<void>;
  add(channel: string): Promise<void>;
  /** Executes a statement over the connection after the previous one: a connection takes one at a time. */
  inTurn(work: () => Promise<unknown>): Promise<void>;
}

function createChannels(first: string): Channels {
  const all = new Set([first]);
  let current: Client | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  async function inTurn(work: () => Promise<unknown>): Promise<void> {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    await done;
  }

  const listenTo = async (client: Client, channel: string): Promise<void> =>
    await inTurn(async () => await client.query(`LISTEN "${channel}"`));

  return {
    inTurn,
    async listen(client) {
      current = undefined;
      // Includes channels that are added in the meantime: iteration of a set covers new items.
      for (const channel of all) await listenTo(client, channel);
      current = client;
    },
    async add(channel) {
      if (all.has(channel)) return;
      all.add(channel);
      const client = current;
      if (client === undefined) return;
      // A broken connection is replaced by one that listens to all channels.
      await listenTo(client, channel).catch(() => void client.end());
    },
  };
}
