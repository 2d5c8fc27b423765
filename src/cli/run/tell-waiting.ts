import { setTimeout } from "node:timers/promises";
import type { Cadre, WaitingFamily } from "../../host.ts";
import { cleanLine } from "../terminal/clean-text.ts";
import { formatDuration } from "../view/format-value.ts";

/** How often the work table is read, in milliseconds. */
const lookMs = 1000;
/** After how many looks in a row a family that can be executed waits for a free slot: a worker takes most families sooner. */
const busyLooks = 5;

/** Returns the line that says what a family waits for. */
export function describeWait({ reason, startsInMs }: WaitingFamily): string {
  const isLater = startsInMs !== null && startsInMs > 0;
  const what = isLater ? `It starts in ${formatDuration(startsInMs)}.` : "It waits.";
  if (reason !== null) return `${what} ${cleanLine(reason)}`;
  return isLater ? what : `${what} All workers are busy.`;
}

/** Calls `onWait` with each reason for which the family of a run waits for a worker, once, until `signal` aborts. */
export async function tellWaiting(
  cadre: Pick<Cadre, "waiting">,
  id: string,
  { onWait, signal }: { onWait: (line: string) => void; signal: AbortSignal },
): Promise<void> {
  let said: string | undefined;
  let free = 0;
  while (!signal.aborted) {
    // What fails here fails where events are read, too.
    const found = await cadre.waiting(id).catch(() => undefined);
    const key = found && keyOf(found);
    free = key === "free" ? free + 1 : 0;
    if (found === undefined) said = undefined;
    else if (key !== said && (key !== "free" || free >= busyLooks) && !signal.aborted) {
      onWait(describeWait(found));
      said = key;
    }
    await setTimeout(lookMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Two waits with the same key are told once. */
function keyOf({ reason, startsInMs }: WaitingFamily): string {
  const when = startsInMs !== null && startsInMs > 0 ? "later" : "free";
  return reason === null ? when : `${when}: ${reason}`;
}
