import type { RunContext } from "../run-context/run-context.ts";

/**
 * Reports whether a run that has an answer continues with the model step `step`, because messages are waiting. A run with
 * background runs waits, without a slot, for the next of them to end. A run with a single turn left waits for all of them, so
 * that it reads every result.
 */
export async function awaitMessages(
  run: RunContext,
  step: string,
  turnsLeft: number = Infinity,
): Promise<boolean> {
  const { inbox, registry, spec, signal } = run;
  const hasReason = (): boolean => turnsLeft > 1 && inbox.hasFor(step);
  let isHeld = false;
  while (inbox.expected().length > 0 && !hasReason()) {
    if (!isHeld) {
      registry.append(spec.id, { type: "children-awaited", runIds: inbox.expected() });
    }
    isHeld = true;
    await run.waitFor(inbox.next(signal));
  }
  if (!inbox.hasFor(step)) return false;
  if (turnsLeft > 0) return true;
  warnOfUndelivered(run);
  return false;
}

/** Warns about unread messages. Without a turn left, the answer stands. */
function warnOfUndelivered({ inbox, spec, warnings }: RunContext): void {
  const names = inbox.undelivered().map(({ from }) => from);
  warnings.add(
    `Agent ${spec.agent} answered in the last of its ${spec.maxTurns} turns, and did not get later messages from: ${names.join("; ")}.`,
  );
}
