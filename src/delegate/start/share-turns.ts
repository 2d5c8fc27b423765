import { setImmediate as nextTurn } from "node:timers/promises";

/** The maximum time that one turn of the event loop creates runs, in milliseconds. */
const maxMs = 20;

/**
 * Returns a function to call before each of many runs is created. It waits for the next turn of the event loop when the current
 * one has lasted too long. The first of a thousand runs can thus be committed and start while the others are created.
 */
export function createTurnSharing(): () => Promise<void> | undefined {
  let since: number | undefined;
  return () => {
    const now = performance.now();
    if (since === undefined) {
      since = now;
      setImmediate(() => (since = undefined));
    }
    return now - since < maxMs ? undefined : nextTurn();
  };
}
