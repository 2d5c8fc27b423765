import type { Failure } from "../../run/failure.ts";

/** An event and what led to it. */
export interface ChainedEvent {
  event: string;
  /** The agent that emitted it; `null` for a root event. */
  agent: string | null;
  /** What was dispatched when it was emitted. */
  cause: ChainedEvent | null;
}

/** The limits of one drain's family of events; what is more than them is an endless loop most likely. */
export const caps = {
  /** Agents that run, in the pipeline or in one task. */
  runs: 100,
  /** Events that are emitted, in the pipeline or in one task. */
  emitted: 1000,
  /** Dispatches of the same event in a row. */
  inRow: 25,
} as const;

const capTexts: Readonly<Record<keyof typeof caps, string>> = {
  runs: `more than ${caps.runs} runs of agents`,
  emitted: `more than ${caps.emitted} emitted events`,
  inRow: `the same event more than ${caps.inRow} times in a row`,
};

/** Links of a chain that a message shows. */
const shownLinks = 12;

/** The failure of a pipeline that goes on without end: it shows the events that led there. */
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
