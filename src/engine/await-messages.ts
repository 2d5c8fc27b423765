import type { Session } from "./session.ts";

/**
 * Whether a run that has come to an answer is to go on with the model step `step`, because somebody has something to say
 * to it. A run that has others at work in the background is held, without a slot, until the next of them ends; one that has
 * a single turn left, until all have, so that it hears of each.
 */
export async function awaitMessages(
  session: Session,
  step: string,
  turnsLeft: number = Infinity,
): Promise<boolean> {
  const { inbox, registry, spec, slot, watchdog, signal } = session;
  const hasReason = (): boolean => turnsLeft > 1 && inbox.hasFor(step);
  let isHeld = false;
  while (inbox.expected().length > 0 && !hasReason()) {
    if (!isHeld) {
      registry.append(spec.id, { type: "children-awaited", runIds: inbox.expected() });
    }
    isHeld = true;
    await watchdog.trustWhile(slot.yieldWhile(inbox.next(signal)));
  }
  if (!inbox.hasFor(step)) return false;
  if (turnsLeft > 0) return true;
  warnOfUnheard(session);
  return false;
}

/** The answer stands: who is out of turns cannot give a better one. */
function warnOfUnheard({ inbox, spec, warnings }: Session): void {
  const names = inbox.unheard().map(({ from }) => from);
  warnings.add(
    `Agent ${spec.agent} answered in the last of its ${spec.maxTurns} turns, and did not hear what came after that from: ${names.join("; ")}.`,
  );
}
