import type { Failure } from "../run/failure.ts";
import type { JsonValue } from "../source/json.ts";
import type { HistoryItem, CheckedOutput } from "./contract.ts";
import type { AgentConfig } from "./entry.ts";
import { caps, type ChainedEvent, haltPipeline } from "./event/event-chain.ts";
import type { RootEvent } from "./event/event-name.ts";
import { knownParameters } from "./parameter.ts";
import type { PipelinePort } from "./port.ts";
import { type PipelineState, scopeOf, withoutSubAgents } from "./state.ts";
import { buildInput, type Turn } from "./sub-agent/sub-agent-input.ts";
import { findTooManyResults, readRun, type ReturnedOutput } from "./sub-agent/sub-agent-run.ts";
import { describeUnheard, isHearing } from "./event/unheard-event.ts";

/** Where a pipeline is after its events were dispatched; with a failure, it is over. */
export interface DrainResult {
  state: PipelineState;
  failure: Failure | null;
}

/** One agent's turn: the events it emitted, or why the pipeline is over. */
interface TurnResult extends DrainResult {
  emitted: readonly string[];
}

type AgentPort = Pick<PipelinePort, "runSubAgent" | "record">;

/**
 * Dispatches a root event and everything that is emitted on its way, first in, first out. For each event its agents run
 * one after another in declaration order, by the list as it was when the dispatch began.
 */
export async function drain(
  state: PipelineState,
  phase: RootEvent,
  port: AgentPort,
): Promise<DrainResult> {
  const queue: ChainedEvent[] = [{ event: phase, agent: null, cause: null }];
  const unheard: ChainedEvent[] = [];
  let current = state;
  let failure: Failure | null = null;
  let inRow = 0;
  // Grows while it is walked: what is emitted goes to its end.
  for (const [index, item] of queue.entries()) {
    inRow = queue[index - 1]?.event === item.event ? inRow + 1 : 1;
    if (inRow > caps.inRow) failure = haltPipeline("inRow", item);
    if (failure !== null) break;
    if (!current.agents.some((agent) => isHearing(agent, item.event))) unheard.push(item);
    ({ state: current, failure } = await dispatch(current, { item, phase, queue }, port));
  }
  const warnings = [...current.warnings, ...describeUnheard(unheard, current.agents)];
  return { state: { ...current, warnings }, failure };
}

/** Runs the agents of one event; what they emit is added to the queue. */
async function dispatch(
  before: PipelineState,
  { item, phase, queue }: { item: ChainedEvent; phase: RootEvent; queue: ChainedEvent[] },
  port: AgentPort,
): Promise<DrainResult> {
  const { agents } = before;
  const { event } = item;
  const hearing = agents.filter((agent) => isHearing(agent, event)).map(({ name }) => name);
  const dispatched = { event, emitted_by: item.agent, agents: hearing };
  await port.record(stepKey(before), () => Promise.resolve(dispatched));
  let state: PipelineState = { ...before, dispatches: before.dispatches + 1 };
  for (const [position, config] of agents.entries()) {
    if (!isHearing(config, event)) continue;
    if (state.runs >= caps.runs) return { state, failure: haltPipeline("runs", item) };
    const turn: Turn = { event, phase, agents, position };
    const key = `${stepKey(before)}/${position}`;
    const result = await takeTurn(state, turn, { port, key });
    state = result.state;
    if (result.failure !== null) return result;
    const { name: agent } = config;
    queue.push(...result.emitted.map((emitted) => ({ event: emitted, agent, cause: item })));
    if (state.emitted > caps.emitted) {
      return { state, failure: haltPipeline("emitted", queue.at(-1) ?? item) };
    }
  }
  return { state, failure: null };
}

/**
 * The key of a dispatch, `pipeline/DISPATCH` or in a task `pipeline/task-N/DISPATCH`; the turns of its agents are below it. It is the
 * same whenever the pipeline is executed again.
 */
function stepKey(state: PipelineState): string {
  return `${scopeOf(state)}/${state.dispatches}`;
}

async function takeTurn(
  before: PipelineState,
  turn: Turn,
  { port, key }: { port: AgentPort; key: string },
): Promise<TurnResult> {
  const config = turn.agents[turn.position] as AgentConfig;
  const state = { ...before, runs: before.runs + 1 };
  const returned = await port.record(key, async () => {
    const run = await port.runSubAgent(config, buildInput(before, turn, config), key);
    return readRun(run, config);
  });
  if ("failure" in returned) return fail(state, turn, returned.failure);
  const { output, warnings } = returned;
  const isMerging = mergesParams(config, returned);
  const results = state.results + JSON.stringify(output.agent_result ?? null).length;
  const tooMany = findTooManyResults(config, results);
  if (tooMany !== null) return fail(state, turn, tooMany);
  return {
    state: {
      ...apply(state, turn, { output, isMerging }),
      results,
      warnings: [
        ...state.warnings,
        ...warnings,
        ...(isMerging ? [] : warnOfLost(state, turn, output)),
        ...warnOfRedo(turn, output),
      ],
    },
    failure: null,
    emitted: output.emit_events ?? [],
  };
}

/** Nothing of what the agent returned is applied; that it failed is part of the history. */
function fail(state: PipelineState, turn: Turn, failure: Failure): TurnResult {
  const item = historyItem(turn, { success: false, error: failure.message });
  return { state: { ...state, history: [...state.history, item] }, failure, emitted: [] };
}

/** Whether the parameters an agent returns are merged: as its entry says, else whether it comes from a pack. */
function mergesParams({ options = {} }: AgentConfig, { isFromPack }: ReturnedOutput): boolean {
  const { merge_params: asked = isFromPack } = options;
  return asked === true;
}

/** Agents written for AIPack, which merges, return only the parameters they change; the coder would miss the others without a word. */
function warnOfLost(
  { params }: PipelineState,
  { agents, position, phase }: Turn,
  { coder_params: given }: CheckedOutput,
): string[] {
  const config = agents[position];
  const isBeforeCoder = phase === "start" || phase === "task::start";
  if (given === undefined || !isBeforeCoder) return [];
  // Whether the answer is written is what the prompt file says, whatever agents return.
  const own = knownParameters.filter((name) => name !== "write_answer");
  const lost = own.filter((name) => !isAbsent(params[name]) && !Object.hasOwn(given, name));
  if (lost.length === 0) return [];
  return [
    `Sub-agent [${config?.name}] replaced the parameters and took away ${lost.join(", ")}. If it meant to keep what it does not name, as agents written for AIPack do, give its entry \`options: { merge_params: true }\`.`,
  ];
}

/** Before the end there is nothing to do once more. */
function warnOfRedo({ agents, position, phase }: Turn, { coder_redo }: CheckedOutput): string[] {
  if (coder_redo !== true || phase === "end") return [];
  const name = agents[position]?.name;
  return [
    `Sub-agent [${name}] returned \`coder_redo: true\`, which counts at \`end\` only. Write \`on: end\` in its entry.`,
  ];
}

function isAbsent(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

function apply(
  state: PipelineState,
  turn: Turn,
  { output, isMerging }: { output: CheckedOutput; isMerging: boolean },
): PipelineState {
  const { coder_params: params, coder_prompts: prompts, sub_agents_next: next } = output;
  const item = historyItem(turn, { agent_result: output.agent_result ?? null });
  return {
    ...state,
    ...(params !== undefined && {
      params: withoutSubAgents(isMerging ? { ...state.params, ...params } : params),
    }),
    ...(prompts !== undefined && { prompts }),
    ...(next !== undefined && { agents: next }),
    isRedoAsked: state.isRedoAsked || (output.coder_redo === true && turn.phase === "end"),
    emitted: state.emitted + (output.emit_events?.length ?? 0),
    history: [...state.history, item],
  };
}

function historyItem(turn: Turn, rest: Partial<HistoryItem>): HistoryItem {
  const config = turn.agents[turn.position] as AgentConfig;
  return { config, event: turn.event, agent_result: null, success: true, error: null, ...rest };
}
