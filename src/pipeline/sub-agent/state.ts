import type { JsonObject, JsonValue } from "../../source/json.ts";
import type { CoderResponse, HistoryItem } from "./contract.ts";
import type { AgentConfig } from "../prompt-file/entry.ts";

/** The state of a pipeline: immutable, plain JSON. */
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
  /** The responses of this round. */
  responses: readonly CoderResponse[];
  /** The responses of earlier rounds. */
  earlierResponses: readonly CoderResponse[];
  /** The number of restarts. */
  redos: number;
  /** Whether an agent requested a redo. */
  isRedoAsked: boolean;
  /** The task of this state; `null` for the pipeline itself. */
  task: { index: number; input: JsonValue } | null;
  /** The number of agent runs, for the limit. */
  runs: number;
  /** The number of emitted events, for the limit. */
  emitted: number;
  /** The size of all results in the history, in characters of JSON. */
  results: number;
  /** The number of dispatched events, which numbers the steps. */
  dispatches: number;
  /** Warnings for the user. */
  warnings: readonly string[];
}

/** The initial values of a pipeline. */
export interface PipelineStart {
  promptFolder: string;
  params: JsonObject;
  instruction: string;
  agents: readonly AgentConfig[];
}

/** Creates the state before the first event. */
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

/** Creates the state of a task: its agents' changes affect only this task, and its limits count from 0. */
export function createTaskState(
  state: PipelineState,
  task: { index: number; input: JsonValue },
): PipelineState {
  return { ...state, task, runs: 0, emitted: 0, dispatches: 0, warnings: [] };
}

/** Creates the state of the next round, with the original prompt. Its limits count from 0. */
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

/** Returns the prefix of the step keys. A resumed pipeline gets the same prefix. */
export function scopeOf({ redos, task }: Pick<PipelineState, "redos" | "task">): string {
  const round = redos === 0 ? "pipeline" : `pipeline/redo-${redos}`;
  return task === null ? round : `${round}/task-${task.index}`;
}

/** Removes the list of agents from parameters. Agents neither get it nor return it there. */
export function withoutSubAgents(params: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(params).filter(([key]) => key !== "sub_agents"));
}
