import { setTimeout } from "node:timers/promises";
import type { Cadre, WaitingFamily } from "../../host.ts";
import { cleanLine } from "../terminal/clean-text.ts";
import { formatDuration } from "../view/format-value.ts";

/** The interval between two reads of the work table, in milliseconds. */
const pollMs = 1000;
/** The number of consecutive reads after which a family waits for a free slot. Workers take most families sooner. */
const busyReads = 5;

/** Returns the line that says why a family waits. */
export function describeWait({ reason, startsInMs }: WaitingFamily): string {
  const isLater = startsInMs !== null && startsInMs > 0;
  const what = isLater ? `It starts in ${formatDuration(startsInMs)}.` : "It waits.";
  if (reason !== null) return `${what} ${cleanLine(reason)}`;
  return isLater ? what : `${what} All workers are busy.`;
}

/** Calls `onWait` when a run's family waits for a worker, and again when the reason changes, until `signal` aborts. */
export async function reportWaiting(
  cadre: Pick<Cadre, "waiting">,
  id: string,
  { onWait, signal }: { onWait: (line: string) => void; signal: AbortSignal },
): Promise<void> {
  let reportedKey: string | undefined;
  let free = 0;
  while (!signal.aborted) {
    // The reader of the events reports the same failure.
    const found = await cadre.waiting(id).catch(() => undefined);
    const key = found && keyOf(found);
    free = key === "free" ? free + 1 : 0;
    if (found === undefined) reportedKey = undefined;
    else if (key !== reportedKey && (key !== "free" || free >= busyReads) && !signal.aborted) {
      onWait(describeWait(found));
      reportedKey = key;
    }
    await setTimeout(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Returns the key of a wait; consecutive waits with the same key are reported once. */
function keyOf({ reason, startsInMs }: WaitingFamily): string {
  const when = startsInMs !== null && startsInMs > 0 ? "later" : "free";
  return reason === null ? when : `${when}: ${reason}`;
}
