import { didYouMean, nearest } from "../../source/nearest.ts";
import type { AgentConfig } from "../entry.ts";
import type { ChainedEvent } from "./event-chain.ts";
import { nameSome } from "../select-files.ts";

/** What Cadre's own agents emit whenever they are done, whether or not an agent waits for it. */
const announcements: ReadonlyMap<string, string> = new Map([
  ["auto-context", "auto-context::end"],
  ["code-map", "code-map::end"],
]);

/** Whether an agent runs on `event`. */
export function isHearing({ enabled, on }: AgentConfig, event: string): boolean {
  return enabled && on.includes(event);
}

/**
 * Warns of events that agents emitted and that no agent ran on, in one line for each emitter. Root events need no agent, and neither
 * does the end of a built-in agent, unless an agent waits for a similar name.
 */
export function describeUnheard(
  unheard: readonly ChainedEvent[],
  agents: readonly AgentConfig[],
): string[] {
  const awaited = new Set(agents.flatMap(({ on }) => on));
  const isNoted = ({ event, agent }: ChainedEvent): boolean =>
    agent !== null && (announcements.get(agent) !== event || nearest(event, awaited) !== null);
  const byEmitter = Map.groupBy(unheard.filter(isNoted), ({ agent }) => agent);
  return [...byEmitter].map(([agent, items]) => {
    const events = [...new Set(items.map(({ event }) => event))];
    const named = nameSome(events.map((event) => `\`${event}\``));
    const hint = events.length === 1 ? didYouMean(events[0] ?? "", awaited) : "";
    return `Sub-agent [${agent}] emitted ${named}, and no enabled sub-agent runs on that.${hint}`;
  });
}
