// Pipelines: run a prompt file with a coder, and with sub-agents that subscribe to events, over a port.

import { dirname } from "node:path";
import type { Failure } from "../run/failure.ts";
import type { JsonObject } from "../source/json.ts";
import { createPositionFinder } from "../source/position.ts";
import { listAgents } from "./prompt-file/agent-list.ts";
import { buildCoderPrompt, type BuiltPrompt, readInputFiles } from "./coder/build-coder-prompt.ts";
import { checkParameters } from "./prompt-file/check-parameters.ts";
import type { TaskInput } from "./coder/coder-prompt.ts";
import type { CoderResponse, HistoryItem } from "./sub-agent/contract.ts";
import { drain } from "./dispatch.ts";
import { mapInOrder } from "./map-in-order.ts";
import { defaultInputConcurrency } from "./prompt-file/parameter.ts";
import type { PipelinePort } from "./sub-agent/port.ts";
import { type CoderContext, findOutside } from "./coder/select-parameter.ts";
import { explainOverflow } from "./files/explain-overflow.ts";
import {
  createRedoState,
  createState,
  createTaskState,
  type PipelineState,
  scopeOf,
} from "./sub-agent/state.ts";
import { inputOf, listTasks, type Task } from "./coder/task.ts";
import { omitUndefined } from "../omit-undefined.ts";

/** A prompt file to run, as plain JSON so that a resume can repeat it. */
export interface PipelinePrompt {
  /** Absolute. */
  path: string;
  params: JsonObject;
  instruction: string;
}

/** The result of a pipeline. */
export interface PipelineResult {
  /** The coder's answer, the last one after a redo; with several tasks, each under a heading. */
  text: string;
  /** One per finished task, in task order; after a redo, those of all rounds. */
  responses: CoderResponse[];
  /** Relative to the workspace, without repeats, in order. */
  files_changed: string[];
  /** Every run of an agent, those of tasks in task order. */
  history: HistoryItem[];
  /** Warnings for the user. */
  warnings: string[];
  /** `null` on success. */
  failure: Failure | null;
}

/**
 * Runs a pipeline: `start`; for each task `task::start`, the coder, `task::end`; then `end`; and all of it again when an agent at
 * `end` requests a redo. The first failure ends it: no further task begins, and running tasks finish. All decisions follow from
 * the results of `port`, so a resume over the same records does the same.
 */
export async function runPipeline(
  prompt: PipelinePrompt,
  context: CoderContext,
  port: PipelinePort,
): Promise<PipelineResult> {
  const agents = listAgents(prompt.params).agents.map(({ config }) => config);
  const { error = findOutside(prompt.params, context)?.message, warnings } = findProblems(prompt);
  const created = createState({ ...prompt, promptFolder: dirname(prompt.path), agents });
  const initial: PipelineState = { ...created, warnings };
  if (error !== undefined) return conclude(initial, { code: "input-invalid", message: error });
  for (let round = initial; ;) {
    const { state, failure } = await runRound(round, context, port);
    if (failure !== null || !state.isRedoAsked) return conclude(state, failure);
    if (state.redos >= maxRedos) return conclude(state, tooManyRedos());
    round = createRedoState(state, initial);
  }
}

/** The maximum number of redos. */
const maxRedos = 20;

function tooManyRedos(): Failure {
  const message = `Expected the coder to be redone at most ${maxRedos} times; a sub-agent requested another redo with \`coder_redo\`.`;
  return { code: "pipeline-halted", message };
}

async function runRound(
  state: PipelineState,
  context: CoderContext,
  port: PipelinePort,
): Promise<Outcome> {
  const started = await drain(state, "start", port);
  if (started.failure !== null) return started;
  const worked = await runTasks(started.state, context, port);
  return worked.failure === null ? await drain(worked.state, "end", port) : worked;
}

/** Checks a prompt that may be unchecked. Returns the first error, and all warnings. */
function findProblems({ path, params }: PipelinePrompt): { error?: string; warnings: string[] } {
  const positionOf = createPositionFinder(new Map(), { line: 1, column: 1 });
  const found = checkParameters({ path, params, positionOf });
  const error = found.find(({ severity }) => severity === "error")?.message;
  // Globs are checked again on use.
  const warnings = found.filter(
    (one) => one.severity === "warning" && !one.code.startsWith("glob"),
  );
  return {
    ...omitUndefined({ error }),
    warnings: warnings.map(({ message }) => message),
  };
}

interface Outcome {
  state: PipelineState;
  failure: Failure | null;
}

/** Runs the tasks. The resulting state gets their history and responses; other changes stay within the task. */
async function runTasks(
  state: PipelineState,
  context: CoderContext,
  port: PipelinePort,
): Promise<Outcome> {
  const list = await port.record(`${scopeOf(state)}/tasks`, () => listTasks(state.params, context));
  if ("failure" in list) return { state, failure: list.failure };
  const limit = Number(state.params["input_concurrency"] ?? defaultInputConcurrency);
  const outcomes = await mapInOrder(list.tasks, limit, {
    work: (task, index) =>
      runTask(
        { task, state: createTaskState(state, { index, input: inputOf(task) }) },
        context,
        port,
      ),
    isLast: ({ failure }) => failure !== null,
  });
  const states = outcomes.map((outcome) => outcome.state);
  return {
    state: {
      ...state,
      history: [
        ...state.history,
        ...states.flatMap(({ history }) => history.slice(state.history.length)),
      ],
      responses: states.flatMap(({ responses }) => responses),
      warnings: [
        ...state.warnings,
        ...list.warnings,
        ...states.flatMap(({ warnings }) => warnings),
      ],
    },
    failure: firstFailure(outcomes, list.tasks.length),
  };
}

/** Returns the first failure, with its task when there are several. */
function firstFailure(outcomes: readonly Outcome[], tasks: number): Failure | null {
  const failed = outcomes.find(({ failure }) => failure !== null);
  if (failed === undefined || failed.failure === null) return null;
  const { failure, state } = failed;
  if (tasks < 2) return failure;
  return { ...failure, details: { ...failure.details, task: state.task } };
}

async function runTask(
  { task, state }: { task: Task; state: PipelineState },
  context: CoderContext,
  port: PipelinePort,
): Promise<Outcome> {
  const scope = scopeOf(state);
  const started = await drain(state, "task::start", port);
  if (started.failure !== null) return started;
  const { params, prompts } = started.state;
  const built = await port.record(`${scope}/prompt`, () =>
    buildTaskPrompt(task, started.state, context),
  );
  if ("failure" in built) return { state: started.state, failure: built.failure };
  const key = `${scope}/coder`;
  const asked = { prompt: built.text, instruction: prompts.join("\n\n") };
  const run = await port.record(key, () => port.runCoder(asked, params, key));
  const warnings = [...started.state.warnings, ...built.warnings];
  if ("failure" in run) {
    const failure = explainOverflow(run.failure, built.largest ?? []);
    return { state: { ...started.state, warnings }, failure };
  }
  const { text, files_changed: filesChanged } = run;
  const response: CoderResponse = {
    text,
    content_extruded: text,
    files_changed: filesChanged,
    input: inputOf(task),
  };
  return await drain({ ...started.state, warnings, responses: [response] }, "task::end", port);
}

async function buildTaskPrompt(
  task: Task,
  { params, prompts }: PipelineState,
  context: CoderContext,
): Promise<BuiltPrompt> {
  if (prompts.every((segment) => segment.trim() === "") && task.kind === "none") {
    const message =
      "The instruction is empty: the file has no text below the parameters, and no sub-agent gave one.";
    return { failure: { code: "input-invalid", message } };
  }
  const input = await readInput(task, params, context);
  if (input !== null && "failure" in input) return input;
  return await buildCoderPrompt({ params, prompts, input }, context);
}

async function readInput(
  task: Task,
  params: JsonObject,
  context: CoderContext,
): Promise<TaskInput | { failure: Failure } | null> {
  if (task.kind === "none") return null;
  if (task.kind === "value") return { value: task.value };
  return await readInputFiles(task.paths, params, context);
}

function conclude(state: PipelineState, failure: Failure | null): PipelineResult {
  const responses = [...state.earlierResponses, ...state.responses];
  return {
    text: joinTexts(state.responses.length > 0 ? state.responses : state.earlierResponses),
    responses,
    files_changed: [...new Set(responses.flatMap((one) => one.files_changed))],
    history: [...state.history],
    warnings: [...state.warnings],
    failure,
  };
}

function joinTexts(responses: readonly CoderResponse[]): string {
  if (responses.length < 2) return responses[0]?.text ?? "";
  return responses
    .map(({ text, input }) => {
      const title = typeof input === "string" ? input : JSON.stringify(input);
      return `## ${title.replaceAll(/\s+/g, " ").slice(0, 120)}\n\n${text}`;
    })
    .join("\n\n");
}
