import type { Clock } from "../../clock.ts";
import type { Connection } from "./connection.ts";

/** A connection that is opened on demand and reopened after it has ended. */
export interface KeptConnection {
  /**
   * Returns the open connection. Concurrent calls share one attempt to open it.
   *
   * @throws Error with the problem, such as `it ended (exit code 1)`; after `close`, its reason.
   */
  get(): Promise<Connection>;
  /** Records that the server answered, which resets the count of restarts. */
  noteAnswer(): void;
  close(reason: Error): Promise<void>;
}

/** Options of {@link keepConnection}. */
export interface KeepOptions {
  clock: Clock;
  /** Opens a connection. Rejects with the reason of `signal` when it aborts. */
  connect: (signal: AbortSignal) => Promise<Connection>;
}

/** The time that a server may take to start and complete the handshake, in milliseconds. `npx` may have to download it first. */
const startTimeoutMs = 60_000;
/** The maximum number of consecutive restarts without an answer. */
const maxRestarts = 3;
const firstDelayMs = 500;

/** Creates a connection that opens at its first use. */
export function keepConnection({ clock, connect }: KeepOptions): KeptConnection {
  const closing = new AbortController();
  let opening: Promise<Connection> | undefined;
  let current: Connection | undefined;
  let restarts = 0;

  async function start(): Promise<Connection> {
    const late = new AbortController();
    const seconds = Math.round(startTimeoutMs / 1000);
    const reason = new Error(`it did not answer the initialization within ${seconds} s`);
    const cancel = clock.schedule(startTimeoutMs, () => late.abort(reason));
    try {
      current = await connect(AbortSignal.any([late.signal, closing.signal]));
      return current;
    } catch (error) {
      closing.signal.throwIfAborted();
      throw error;
    } finally {
      cancel();
    }
  }

  async function restart(end: string): Promise<Connection> {
    if (restarts >= maxRestarts) {
      throw new Error(
        `it was restarted ${maxRestarts} times in a row and ended every time; the last time, ${end}`,
      );
    }
    restarts += 1;
    await wait(clock, firstDelayMs * 2 ** (restarts - 1), closing.signal);
    return await start();
  }

  return {
    get() {
      if (closing.signal.aborted) return Promise.reject(closing.signal.reason as Error);
      if (opening !== undefined) return opening;
      const end = current?.end() ?? null;
      if (current !== undefined && end === null) return Promise.resolve(current);
      opening = (end === null ? start() : restart(end)).finally(() => {
        opening = undefined;
      });
      return opening;
    },
    noteAnswer() {
      restarts = 0;
    },
    async close(reason) {
      closing.abort(reason);
      await opening?.catch(() => undefined);
      await current?.close();
    },
  };
}

/** Resolves after `delayMs`; rejects when `signal` aborts. */
function wait(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      cancel();
      reject(signal.reason as Error);
    };
    const cancel = clock.schedule(delayMs, () => {
      signal.removeEventListener("abort", abort);
      resolve();
    });
    signal.addEventListener("abort", abort, { once: true });
  });
}
