import type { Failure } from "../run/failure.ts";
import type { JsonValue } from "../source/json.ts";
import type { HistoryItem, CheckedOutput } from "./sub-agent/contract.ts";
import type { AgentConfig } from "./prompt-file/entry.ts";
import { caps, type ChainedEvent, haltPipeline } from "./event/event-chain.ts";
import type { RootEvent } from "./event/event-name.ts";
import { knownParameters } from "./prompt-file/parameter.ts";
import type { PipelinePort } from "./sub-agent/port.ts";
import { type PipelineState, scopeOf, withoutSubAgents } from "./sub-agent/state.ts";
import { buildInput, type DispatchTurn } from "./sub-agent/sub-agent-input.ts";
import {
  findTooManyResults,
  readSubAgentRun,
  type ReturnedOutput,
} from "./sub-agent/sub-agent-run.ts";
import { describeUnsubscribed, isSubscribed } from "./unsubscribed-event.ts";
import { omitUndefined } from "../omit-undefined.ts";

/** The state of a pipeline after its events were dispatched. A failure ends the pipeline. */
export interface DrainResult {
  state: PipelineState;
  failure: Failure | null;
}

/** The result of one agent's run: the events it emitted, or the failure that ends the pipeline. */
interface TurnResult extends DrainResult {
  emitted: readonly string[];
}

type AgentPort = Pick<PipelinePort, "runSubAgent" | "record">;

/**
 * Dispatches a root event and all events emitted on the way, first in, first out. For each event its agents run one after another
 * in declaration order, by the list of agents at the beginning of the dispatch.
 */
export async function drain(
  state: PipelineState,
  phase: RootEvent,
  port: AgentPort,
): Promise<DrainResult> {
  const queue: ChainedEvent[] = [{ event: phase, agent: null, cause: null }];
  const unsubscribed: ChainedEvent[] = [];
  let current = state;
  let failure: Failure | null = null;
  let inRow = 0;
  // The queue grows during the loop: emitted events go to its end.
  for (const [index, item] of queue.entries()) {
    inRow = queue[index - 1]?.event === item.event ? inRow + 1 : 1;
    if (inRow > caps.inRow) failure = haltPipeline("inRow", item);
    if (failure !== null) break;
    if (!current.agents.some((agent) => isSubscribed(agent, item.event))) unsubscribed.push(item);
    ({ state: current, failure } = await dispatch(current, { item, phase, queue }, port));
  }
  const warnings = [...current.warnings, ...describeUnsubscribed(unsubscribed, current.agents)];
  return { state: { ...current, warnings }, failure };
}

/** Runs the agents of one event and queues the events they emit. */
async function dispatch(
  before: PipelineState,
  { item, phase, queue }: { item: ChainedEvent; phase: RootEvent; queue: ChainedEvent[] },
  port: AgentPort,
): Promise<DrainResult> {
  const { agents } = before;
  const { event } = item;
  const hearing = agents.filter((agent) => isSubscribed(agent, event)).map(({ name }) => name);
  const dispatched = { event, emitted_by: item.agent, agents: hearing };
  await port.record(stepKey(before), () => Promise.resolve(dispatched));
  let state: PipelineState = { ...before, dispatches: before.dispatches + 1 };
  for (const [position, config] of agents.entries()) {
    if (!isSubscribed(config, event)) continue;
    if (state.runs >= caps.runs) return { state, failure: haltPipeline("runs", item) };
    const turn: DispatchTurn = { event, phase, agents, position };
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
 * Returns the key of a dispatch, `pipeline/DISPATCH` or in a task `pipeline/task-N/DISPATCH`; the keys of its agents are below
 * it. A resumed pipeline uses the same keys.
 */
function stepKey(state: PipelineState): string {
  return `${scopeOf(state)}/${state.dispatches}`;
}

async function takeTurn(
  before: PipelineState,
  turn: DispatchTurn,
  { port, key }: { port: AgentPort; key: string },
): Promise<TurnResult> {
  const config = turn.agents[turn.position] as AgentConfig;
  const state = { ...before, runs: before.runs + 1 };
  const returned = await port.record(key, async () => {
    const run = await port.runSubAgent(config, buildInput(before, turn, config), key);
    return readSubAgentRun(run, config);
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

/** Discards the agent's output; only the history records the failure. */
function fail(state: PipelineState, turn: DispatchTurn, failure: Failure): TurnResult {
  const item = historyItem(turn, { success: false, error: failure.message });
  return { state: { ...state, history: [...state.history, item] }, failure, emitted: [] };
}

/** Reports whether an agent's parameters are merged: as its entry says, by default for an agent from a pack. */
function mergesParams({ options = {} }: AgentConfig, { isFromPack }: ReturnedOutput): boolean {
  const { merge_params: asked = isFromPack } = options;
  return asked === true;
}

/** Warns of lost parameters: agents written for AIPack, which merges, return only the parameters they change. */
function warnOfLost(
  { params }: PipelineState,
  { agents, position, phase }: DispatchTurn,
  { coder_params: given }: CheckedOutput,
): string[] {
  const config = agents[position];
  const isBeforeCoder = phase === "start" || phase === "task::start";
  if (given === undefined || !isBeforeCoder) return [];
  // Only the prompt file decides whether the answer is written.
  const own = knownParameters.filter((name) => name !== "write_answer");
  const lost = own.filter((name) => !isAbsent(params[name]) && !Object.hasOwn(given, name));
  if (lost.length === 0) return [];
  return [
    `Sub-agent [${config?.name}] replaced the parameters and removed ${lost.join(", ")}. If it means to keep the parameters it does not return, as agents written for AIPack do, give its entry \`options: { merge_params: true }\`.`,
  ];
}

/** Warns of a redo request before the end, where it has no effect. */
function warnOfRedo(
  { agents, position, phase }: DispatchTurn,
  { coder_redo }: CheckedOutput,
): string[] {
  if (coder_redo !== true || phase === "end") return [];
  const name = agents[position]?.name;
  return [
    `Sub-agent [${name}] returned \`coder_redo: true\`, which only has an effect at \`end\`. Write \`on: end\` in its entry.`,
  ];
}

function isAbsent(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

function apply(
  state: PipelineState,
  turn: DispatchTurn,
  { output, isMerging }: { output: CheckedOutput; isMerging: boolean },
): PipelineState {
  const { coder_params: params, coder_prompts: prompts, sub_agents_next: next } = output;
  const item = historyItem(turn, { agent_result: output.agent_result ?? null });
  return {
    ...state,
    ...(params !== undefined && {
      params: withoutSubAgents(isMerging ? { ...state.params, ...params } : params),
    }),
    ...omitUndefined({ prompts, agents: next }),
    isRedoAsked: state.isRedoAsked || (output.coder_redo === true && turn.phase === "end"),
    emitted: state.emitted + (output.emit_events?.length ?? 0),
    history: [...state.history, item],
  };
}

function historyItem(turn: DispatchTurn, rest: Partial<HistoryItem>): HistoryItem {
  const config = turn.agents[turn.position] as AgentConfig;
  return { config, event: turn.event, agent_result: null, success: true, error: null, ...rest };
}
