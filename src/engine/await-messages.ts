import type { Session } from "./session.ts";

/**
 * Whether a run that has come to an answer is to go on with the model step `step`, because somebody has something to say
 * to it. A run that has others at work in the background is held, without a slot, until the next of them ends.
 */
export async function awaitMessages(session: Session, step: string): Promise<boolean> {
  const { inbox, registry, spec, slot, watchdog, signal } = session;
  while (!inbox.hasFor(step)) {
    const expected = inbox.expected();
    if (expected.length === 0) return false;
    registry.append(spec.id, { type: "children-awaited", runIds: expected });
    await watchdog.trustWhile(slot.yieldWhile(inbox.next(signal)));
  }
  return true;
}
