/** The events that the page receives, for data that is being read while they arrive. */

import type { RunEvent } from "../types.ts";

type Listener = (events: readonly RunEvent[]) => void;

const listeners = new Set<Listener>();

/** Passes new events to all listeners. */
export function publish(events: readonly RunEvent[]): void {
  for (const listener of listeners) listener(events);
}

/**
 * Reads data and applies the events that arrive meanwhile, because the response may be older than they are. `apply` returns
 * `undefined` when an event is missing in between; the data is then read again.
 */
export async function readAndFollow<Read>(
  read: () => Promise<Read>,
  apply: (read: Read, events: readonly RunEvent[]) => Read | undefined,
): Promise<Read> {
  const received: RunEvent[] = [];
  const listener: Listener = (events) => void received.push(...events);
  listeners.add(listener);
  try {
    const first = await read();
    return apply(first, received) ?? (await read());
  } finally {
    listeners.delete(listener);
  }
}
