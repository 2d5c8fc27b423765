import type { PositionedEvent, Registry } from "../../registry/registry.ts";
import type { RunEvent } from "../../run/event.ts";

/**
 * Iterates over the journal of a run from its first event to its terminal one, whichever process writes it. Throws when the
 * registry fails, and the reason of `signal` when it aborts.
 */
export async function* followRun(
  registry: Registry,
  runId: string,
  signal?: AbortSignal,
): AsyncGenerator<RunEvent, void> {
  let seen = 0;
  for (;;) {
    signal?.throwIfAborted();
    const change = watch(registry, (event) => event.runId === runId, signal);
    try {
      for (const event of await registry.events(runId, seen)) {
        yield event;
        seen = event.seq;
        if (event.type === "run-finished") return;
      }
      await change.happened;
    } finally {
      change.stop();
    }
  }
}

/**
 * Iterates over the events of all runs after the position `after`, whichever process writes them, until `signal` aborts; without
 * one, over those that become durable from now on. Throws when the registry fails.
 */
export async function* followRegistry(
  registry: Registry,
  { after, signal }: { after?: string | undefined; signal?: AbortSignal | undefined },
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
      if (events.length === 0) await change.happened;
    } finally {
      change.stop();
    }
  }
}

/** Waits for the next change: an event of this process that `isMeant` accepts, or any write of another one. */
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
