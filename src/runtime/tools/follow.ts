import type { PositionedEvent, Registry } from "../../registry/registry.ts";
import type { RunEvent } from "../../run/event.ts";
import { isTerminal } from "../../run/run.ts";

/** The number of events of a run that are read at once. A slow reader holds no more of them in memory. */
const eventsAtOnce = 256;

/**
 * Iterates over the journal of a run from the event after `after` (default 0: from the first one) to the terminal one, whichever
 * process writes it. Throws when the registry fails, and throws the reason of `signal` when it aborts.
 */
export async function* followRun(
  registry: Registry,
  runId: string,
  { after = 0, signal }: { after?: number | undefined; signal?: AbortSignal | undefined } = {},
): AsyncGenerator<RunEvent, void> {
  let seen = after;
  if (seen > 0 && (await hasEndedBy(registry, runId, seen))) return;
  for (;;) {
    signal?.throwIfAborted();
    const change = watch(registry, (event) => event.runId === runId, signal);
    try {
      const events = await registry.events(runId, { after: seen, limit: eventsAtOnce });
      for (const event of events) {
        yield event;
        seen = event.seq;
        if (event.type === "run-finished") return;
      }
      if (events.length === 0) await change.happened;
    } finally {
      change.stop();
    }
  }
}

/** Reports whether the run has ended with the event `seq`, after which nothing follows. */
async function hasEndedBy(registry: Registry, runId: string, seq: number): Promise<boolean> {
  const run = await registry.run(runId);
  return run !== undefined && isTerminal(run.status) && run.lastSeq <= seq;
}

/**
 * Iterates over the events of all runs after the position `after`, whichever process writes them, until `signal` aborts. Without
 * `after`, it yields only later events. With `live: false` it ends after the last durable event. Throws when the registry fails.
 */
export async function* followRegistry(
  registry: Registry,
  { after, live = true, signal }: FollowRegistryOptions,
): AsyncGenerator<PositionedEvent, void> {
  const isOver = (): boolean => signal?.aborted === true;
  let position = after ?? (await registry.lastPosition());
  while (!isOver()) {
    const change = watch(registry, () => true, signal);
    try {
      const events = await registry.eventsAfter(position);
      for (const event of events) {
        yield event;
        ({ position } = event);
        if (isOver()) return;
      }
      if (events.length > 0) continue;
      if (!live) return;
      await change.happened;
    } finally {
      change.stop();
    }
  }
}

/** Options of {@link followRegistry}. */
interface FollowRegistryOptions {
  after?: string | undefined;
  live?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** Waits for the next change: an event of this process that `isMeant` accepts, or any write of another process. */
function watch(
  registry: Registry,
  isMeant: (event: RunEvent) => boolean,
  signal?: AbortSignal,
): { happened: Promise<void>; stop: () => void } {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // The reader may have left.
  promise.catch(() => undefined);
  const stopping = new AbortController();
  const unsubscribe = registry.subscribe((event) => {
    if (isMeant(event)) resolve();
  });
  const ended = signal === undefined ? stopping.signal : AbortSignal.any([stopping.signal, signal]);
  registry.changed(ended).then(resolve, reject);
  return {
    happened: promise,
    stop() {
      unsubscribe();
      stopping.abort();
    },
  };
}
