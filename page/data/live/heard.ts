// The events that the page receives, for data that is being read while they arrive.

import type { RunEvent } from "../types.ts";

type Listener = (events: readonly RunEvent[]) => void;

const listeners = new Set<Listener>();

/** Tells all listeners of new events. */
export function tell(events: readonly RunEvent[]): void {
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
  const heard: RunEvent[] = [];
  const listener: Listener = (events) => void heard.push(...events);
  listeners.add(listener);
  try {
    const first = await read();
    return apply(first, heard) ?? (await read());
  } finally {
    listeners.delete(listener);
  }
}
