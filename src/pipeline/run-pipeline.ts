import { dirname } from "node:path";
import type { Failure } from "../run/failure.ts";
import type { JsonObject } from "../source/json.ts";
import { createPlaceFinder } from "../source/place.ts";
import { listAgents } from "./agent-list.ts";
import { buildCoderPrompt, type BuiltPrompt, readInputFiles } from "./build-coder-prompt.ts";
import { checkParameters } from "./check-parameters.ts";
import type { TaskInput } from "./coder-prompt.ts";
import type { CoderResponse, HistoryItem } from "./contract.ts";
import { drain } from "./dispatch.ts";
import { mapInOrder } from "./map-in-order.ts";
import { defaultInputConcurrency } from "./parameter.ts";
import type { PipelinePort } from "./port.ts";
import { type CoderPlace, findOutside } from "./select-parameter.ts";
import { explainOverflow } from "./size/explain-overflow.ts";
import { createState, createTaskState, type PipelineState } from "./state.ts";
import { inputOf, listTasks, type Task } from "./task.ts";

/** A prompt file to run, as plain JSON: what a resume needs to do the same again. */
export interface PipelinePrompt {
  /** Absolute. */
  path: string;
  params: JsonObject;
  instruction: string;
}

/** How a pipeline ended. */
export interface PipelineResult {
  /** The coder's answer; of several tasks, each under a heading. */
  text: string;
  /** One of each task that ended, in their order. */
  responses: CoderResponse[];
  /** Relative to the workspace, without repeats, in order. */
  files_changed: string[];
  /** Every agent that ran: those of tasks in the order of the tasks. */
  history: HistoryItem[];
  /** What the user should know although nothing failed. */
  warnings: string[];
  /** `null`: it succeeded. */
  failure: Failure | null;
}

/**
 * Runs a pipeline: `start`; for each task `task::start`, the coder, `task::end`; then `end`. The first failure ends it: no
 * further task begins, and those under way are waited for. Everything it decides follows from what `port` returns, so
 * executed again over the same records it does the same.
 */
export async function runPipeline(
  prompt: PipelinePrompt,
  place: CoderPlace,
  port: PipelinePort,
): Promise<PipelineResult> {
  const agents = listAgents(prompt.params).agents.map(({ config }) => config);
  const { error = findOutside(prompt.params, place)?.message, warnings } = findProblems(prompt);
  const created = createState({ ...prompt, promptFolder: dirname(prompt.path), agents });
  const initial = { ...created, warnings };
  if (error !== undefined) return conclude(initial, { code: "input-invalid", message: error });
  const started = await drain(initial, "start", port);
  if (started.failure !== null) return conclude(started.state, started.failure);
  const worked = await runTasks(started.state, place, port);
  if (worked.failure !== null) return conclude(worked.state, worked.failure);
  const ended = await drain(worked.state, "end", port);
  return conclude(ended.state, ended.failure);
}

/** What keeps a prompt from being run that nobody checked before, and what its user should know. */
function findProblems({ path, params }: PipelinePrompt): { error?: string; warnings: string[] } {
  const placeOf = createPlaceFinder(new Map(), { line: 1, column: 1 });
  const found = checkParameters({ path, params, placeOf });
  const error = found.find(({ severity }) => severity === "error")?.message;
  // Globs are looked at once more when they are used.
  const warnings = found.filter(
    (one) => one.severity === "warning" && !one.code.startsWith("glob"),
  );
  return {
    ...(error !== undefined && { error }),
    warnings: warnings.map(({ message }) => message),
  };
}

interface Outcome {
  state: PipelineState;
  failure: Failure | null;
}

/** The pipeline's state with the history and the responses of all tasks; what else they changed was theirs alone. */
async function runTasks(
  state: PipelineState,
  place: CoderPlace,
  port: PipelinePort,
): Promise<Outcome> {
  const list = await port.record("pipeline/tasks", () => listTasks(state.params, place));
  if ("failure" in list) return { state, failure: list.failure };
  const limit = Number(state.params["input_concurrency"] ?? defaultInputConcurrency);
  const outcomes = await mapInOrder(list.tasks, limit, {
    work: (task, index) =>
      runTask(
        { task, state: createTaskState(state, { index, input: inputOf(task) }) },
        place,
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

/** Of several tasks, it says in which one it happened. */
function firstFailure(outcomes: readonly Outcome[], tasks: number): Failure | null {
  const failed = outcomes.find(({ failure }) => failure !== null);
  if (failed === undefined || failed.failure === null) return null;
  const { failure, state } = failed;
  if (tasks < 2) return failure;
  return { ...failure, details: { ...failure.details, task: state.task } };
}

async function runTask(
  { task, state }: { task: Task; state: PipelineState },
  place: CoderPlace,
  port: PipelinePort,
): Promise<Outcome> {
  const scope = `pipeline/task-${state.task?.index ?? 0}`;
  const started = await drain(state, "task::start", port);
  if (started.failure !== null) return started;
  const { params } = started.state;
  const built = await port.record(`${scope}/prompt`, () =>
    buildTaskPrompt(task, started.state, place),
  );
  if ("failure" in built) return { state: started.state, failure: built.failure };
  const run = await port.runCoder(built.text, params, `${scope}/coder`);
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
  place: CoderPlace,
): Promise<BuiltPrompt> {
  if (prompts.every((segment) => segment.trim() === "") && task.kind === "none") {
    const message =
      "The instruction is empty: nothing was written below the parameters, and no sub-agent gave one.";
    return { failure: { code: "input-invalid", message } };
  }
  const input = await readInput(task, params, place);
  if (input !== null && "failure" in input) return input;
  return await buildCoderPrompt({ params, prompts, input }, place);
}

async function readInput(
  task: Task,
  params: JsonObject,
  place: CoderPlace,
): Promise<TaskInput | { failure: Failure } | null> {
  if (task.kind === "none") return null;
  if (task.kind === "value") return { value: task.value };
  return await readInputFiles(task.paths, params, place);
}

function conclude(state: PipelineState, failure: Failure | null): PipelineResult {
  const responses = [...state.responses];
  return {
    text: joinTexts(responses),
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
