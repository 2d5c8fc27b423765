import { didYouMean, nearest } from "../source/nearest.ts";
import type { AgentConfig } from "./prompt-file/entry.ts";
import type { ChainedEvent } from "./event/event-chain.ts";
import { nameSome } from "./files/select-files.ts";

/** The events that built-in agents always emit at their end, with or without a subscriber. */
const announcements: ReadonlyMap<string, string> = new Map([
  ["auto-context", "auto-context::end"],
  ["code-map", "code-map::end"],
]);

/** Reports whether an agent runs on `event`. */
export function isSubscribed({ enabled, on }: AgentConfig, event: string): boolean {
  return enabled && on.includes(event);
}

/**
 * Describes emitted events without a subscriber, in one line per emitter. Root events need no subscriber, and neither does the
 * end event of a built-in agent, unless an agent waits for a similar name.
 */
export function describeUnsubscribed(
  unsubscribed: readonly ChainedEvent[],
  agents: readonly AgentConfig[],
): string[] {
  const awaited = new Set(agents.flatMap(({ on }) => on));
  const isNoted = ({ event, agent }: ChainedEvent): boolean =>
    agent !== null && (announcements.get(agent) !== event || nearest(event, awaited) !== null);
  const byEmitter = Map.groupBy(unsubscribed.filter(isNoted), ({ agent }) => agent);
  return [...byEmitter].map(([agent, items]) => {
    const events = [...new Set(items.map(({ event }) => event))];
    const named = nameSome(events.map((event) => `\`${event}\``));
    const hint = events.length === 1 ? didYouMean(events[0] ?? "", awaited) : "";
    return `Sub-agent [${agent}] emitted ${named}, but no enabled sub-agent runs on it.${hint}`;
  });
}
