import type { Failure } from "../../run/failure.ts";

/** An event and the chain of events that caused it. */
export interface ChainedEvent {
  event: string;
  /** The agent that emitted it; `null` for a root event. */
  agent: string | null;
  /** The event during whose dispatch it was emitted; `null` for a root event. */
  cause: ChainedEvent | null;
}

/** Limits of a pipeline or task. Exceeding one is most likely an endless loop. */
export const caps = {
  /** Runs of agents in the pipeline or in one task. */
  runs: 100,
  /** Emitted events in the pipeline or in one task. */
  emitted: 1000,
  /** Dispatches of the same event in a row. */
  inRow: 25,
} as const;

const capTexts: Readonly<Record<keyof typeof caps, string>> = {
  runs: `more than ${caps.runs} runs of agents`,
  emitted: `more than ${caps.emitted} emitted events`,
  inRow: `the same event more than ${caps.inRow} times in a row`,
};

/** The maximum number of links that a message shows. */
const shownLinks = 12;

/** Returns the failure of an endless pipeline, with the chain of events that caused it. */
export function haltPipeline(cap: keyof typeof caps, last: ChainedEvent): Failure {
  const chain: { event: string; agent: string | null }[] = [];
  for (let at: ChainedEvent | null = last; at !== null; at = at.cause) {
    chain.push({ event: at.event, agent: at.agent });
  }
  chain.reverse();
  const message = `The pipeline was halted: ${capTexts[cap]}. The events that led there: ${showChain(chain)}. Let an agent emit only when there is something new.`;
  return { code: "pipeline-halted", message, details: { cap, limit: caps[cap], chain } };
}

function showChain(chain: readonly { event: string; agent: string | null }[]): string {
  const links: { text: string; times: number }[] = [];
  for (const { event, agent } of chain) {
    const text = agent === null ? event : `[${agent}] ${event}`;
    const before = links.at(-1);
    if (before?.text === text) before.times += 1;
    else links.push({ text, times: 1 });
  }
  const texts = links.map(({ text, times }) => (times === 1 ? text : `${text} (${times} times)`));
  if (texts.length > shownLinks) texts.splice(2, texts.length - shownLinks, "…");
  return texts.join(" → ");
}
