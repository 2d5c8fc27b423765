import type { Failure } from "../run/failure.ts";
import type { JsonValue } from "../source/json.ts";
import type { HistoryItem, CheckedOutput } from "./contract.ts";
import type { AgentConfig } from "./entry.ts";
import { caps, type ChainedEvent, haltPipeline } from "./event-chain.ts";
import type { RootEvent } from "./event-name.ts";
import { knownParameters } from "./parameter.ts";
import type { PipelinePort } from "./port.ts";
import { type PipelineState, scopeOf, withoutSubAgents } from "./state.ts";
import { buildInput, type Turn } from "./sub-agent-input.ts";
import { readOutput } from "./sub-agent-output.ts";

/** Where a pipeline is after its events were dispatched; with a failure, it is over. */
export interface DrainResult {
  state: PipelineState;
  failure: Failure | null;
}

/** One agent's turn: the events it emitted, or why the pipeline is over. */
interface TurnResult extends DrainResult {
  emitted: readonly string[];
}

/** The results of all agents together, in characters of JSON. */
export const mostResults: number = 4 * 1024 * 1024;

type AgentPort = Pick<PipelinePort, "runSubAgent">;

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
  let current = state;
  let inRow = 0;
  // Grows while it is walked: what is emitted goes to its end.
  for (const [index, item] of queue.entries()) {
    inRow = queue[index - 1]?.event === item.event ? inRow + 1 : 1;
    if (inRow > caps.inRow) return { state: current, failure: haltPipeline("inRow", item) };
    const result = await dispatch(current, { item, phase, queue }, port);
    current = result.state;
    if (result.failure !== null) return result;
  }
  return { state: current, failure: null };
}

/** Runs the agents of one event; what they emit is added to the queue. */
async function dispatch(
  before: PipelineState,
  { item, phase, queue }: { item: ChainedEvent; phase: RootEvent; queue: ChainedEvent[] },
  port: AgentPort,
): Promise<DrainResult> {
  const { agents, dispatches } = before;
  let state: PipelineState = { ...before, dispatches: dispatches + 1 };
  for (const [position, config] of agents.entries()) {
    if (!config.enabled || !config.on.includes(item.event)) continue;
    if (state.runs >= caps.runs) return { state, failure: haltPipeline("runs", item) };
    const turn: Turn = { event: item.event, phase, agents, position };
    const result = await takeTurn(state, turn, { port, key: stepKey(before, position) });
    state = result.state;
    if (result.failure !== null) return result;
    queue.push(...result.emitted.map((event) => ({ event, agent: config.name, cause: item })));
    if (state.emitted > caps.emitted) {
      return { state, failure: haltPipeline("emitted", queue.at(-1) ?? item) };
    }
  }
  return { state, failure: null };
}

/** The same whenever the pipeline is executed again: `pipeline/DISPATCH/AGENT`, in a task `pipeline/task-N/DISPATCH/AGENT`. */
function stepKey(state: PipelineState, position: number): string {
  return `${scopeOf(state)}/${state.dispatches}/${position}`;
}

async function takeTurn(
  before: PipelineState,
  turn: Turn,
  { port, key }: { port: AgentPort; key: string },
): Promise<TurnResult> {
  const config = turn.agents[turn.position] as AgentConfig;
  const state = { ...before, runs: before.runs + 1 };
  const run = await port.runSubAgent(config, buildInput(before, turn, config), key);
  if ("failure" in run) {
    const { code, message } = run.failure;
    const failure = failureOf(config, message, null);
    const isInvalid = code === "output-invalid";
    return fail(state, turn, { ...failure, ...(isInvalid && { code }), cause: run.failure });
  }
  const reading = readOutput(run.value, config.name);
  if (reading.kind === "invalid") {
    const details = { agent: config.name };
    return fail(state, turn, { code: "output-invalid", message: reading.message, details });
  }
  if (reading.kind === "failure") {
    return fail(state, turn, failureOf(config, reading.message, reading.details));
  }
  const { output, warnings } = reading;
  const isMerging = mergesParams(config, run);
  const results = state.results + JSON.stringify(output.agent_result ?? null).length;
  if (results > mostResults) return fail(state, turn, tooManyResults(config, results));
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

/** Every agent is given the results of all before it, and each of these inputs is kept. */
function tooManyResults({ name }: AgentConfig, results: number): Failure {
  const message = `Sub-agent [${name}] failed: its output is not valid: field \`agent_result\`: expected at most ${mostResults} characters of JSON in the results of all agents together; got ${results}. Write what is long to a file, and return its path.`;
  return { code: "output-invalid", message, details: { agent: name } };
}

function failureOf(config: AgentConfig, message: string, details: string | null): Failure {
  const more = details === null ? "" : `\nDetails: ${details}`;
  return {
    code: "pipeline-halted",
    message: `Sub-agent [${config.name}] failed: ${message}${more}`,
    details: { agent: config.name, ...(details !== null && { error_details: details }) },
  };
}

/** Nothing of what the agent returned is applied; that it failed is part of the history. */
function fail(state: PipelineState, turn: Turn, failure: Failure): TurnResult {
  const item = historyItem(turn, { success: false, error: failure.message });
  return { state: { ...state, history: [...state.history, item] }, failure, emitted: [] };
}

/** Whether the parameters an agent returns are merged: as its entry says, else whether it comes from a pack. */
function mergesParams(
  { options = {} }: AgentConfig,
  { isFromPack = false }: { isFromPack?: boolean },
): boolean {
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
