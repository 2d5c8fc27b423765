import type { JsonObject, JsonValue } from "../source/json.ts";
import type { CoderResponse, HistoryItem } from "./contract.ts";
import type { AgentConfig } from "./entry.ts";

/** Everything a pipeline knows; plain JSON that is replaced, never changed. */
export interface PipelineState {
  /** The folder of the prompt file, absolute. */
  promptFolder: string;
  /** Without `sub_agents`. */
  params: JsonObject;
  /** The segments of the instruction. */
  prompts: readonly string[];
  /** The agents of later dispatches, in declaration order. */
  agents: readonly AgentConfig[];
  history: readonly HistoryItem[];
  /** Those of this round. */
  responses: readonly CoderResponse[];
  /** Those of the rounds before. */
  earlierResponses: readonly CoderResponse[];
  /** How often the pipeline began again. */
  redos: number;
  /** Whether an agent asked for it to begin again. */
  isRedoAsked: boolean;
  /** The task this is the state of; `null`: the pipeline's own. */
  task: { index: number; input: JsonValue } | null;
  /** Agents that ran, the cap's count. */
  runs: number;
  /** Events that were emitted, the cap's count. */
  emitted: number;
  /** What all results of the history take, in characters of JSON. */
  results: number;
  /** Events that were dispatched: numbers the steps. */
  dispatches: number;
  /** What the user should know although the pipeline went on. */
  warnings: readonly string[];
}

/** What a pipeline begins with. */
export interface PipelineStart {
  promptFolder: string;
  params: JsonObject;
  instruction: string;
  agents: readonly AgentConfig[];
}

/** The state before the first event. */
export function createState({
  promptFolder,
  params,
  instruction,
  agents,
}: PipelineStart): PipelineState {
  return {
    promptFolder,
    params: withoutSubAgents(params),
    prompts: [instruction],
    agents,
    history: [],
    responses: [],
    earlierResponses: [],
    redos: 0,
    isRedoAsked: false,
    task: null,
    runs: 0,
    emitted: 0,
    results: 0,
    dispatches: 0,
    warnings: [],
  };
}

/** A task's own copy: what its agents change is for this task only, and its caps count from 0. */
export function createTaskState(
  state: PipelineState,
  task: { index: number; input: JsonValue },
): PipelineState {
  return { ...state, task, runs: 0, emitted: 0, dispatches: 0, warnings: [] };
}

/** The state of the next round: the prompt is as it was at first, and its caps count from 0. */
export function createRedoState(
  before: PipelineState,
  { params, prompts, agents }: PipelineState,
): PipelineState {
  return {
    ...before,
    params,
    prompts,
    agents,
    responses: [],
    earlierResponses: [...before.earlierResponses, ...before.responses],
    redos: before.redos + 1,
    isRedoAsked: false,
    runs: 0,
    emitted: 0,
    dispatches: 0,
  };
}

/** What the keys of the steps begin with: the same whenever the pipeline is executed again. */
export function scopeOf({ redos, task }: Pick<PipelineState, "redos" | "task">): string {
  const round = redos === 0 ? "pipeline" : `pipeline/redo-${redos}`;
  return task === null ? round : `${round}/task-${task.index}`;
}

/** Parameters without the list of agents, which is never given to one or taken from one. */
export function withoutSubAgents(params: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(params).filter(([key]) => key !== "sub_agents"));
}
