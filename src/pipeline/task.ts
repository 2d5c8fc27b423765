import type { Failure } from "../run/failure.ts";
import type { JsonObject, JsonValue } from "../source/json.ts";
import { type CoderPlace, selectParameter, toFailure } from "./build-coder-prompt.ts";
import { createWalks } from "./select-files.ts";

/** One task of a pipeline: an item of `inputs`, or a file of `input_globs`. */
export type Task =
  | { kind: "none" }
  | { kind: "value"; value: JsonValue }
  /** Relative to the workspace. */
  | { kind: "file"; path: string };

/** The tasks of a pipeline, or why there are none. */
export type TaskList = { tasks: Task[]; warnings: string[] } | { failure: Failure };

/** More tasks than these are a glob that matches too much most likely. */
const mostTasks = 1000;

/** Finds the tasks: one an item of `inputs`, then one a file of `input_globs`; with neither parameter one without input. */
export async function listTasks(params: JsonObject, place: CoderPlace): Promise<TaskList> {
  const inputs = params["inputs"] ?? null;
  const globs = params["input_globs"] ?? null;
  if (inputs === null && globs === null) return { tasks: [{ kind: "none" }], warnings: [] };
  const { paths, problems } = await selectParameter("input_globs", params, {
    workspace: place.workspace,
    walk: createWalks(place.signal),
  });
  const failure = toFailure(problems);
  if (failure !== null) return { failure };
  const values = Array.isArray(inputs) ? inputs : [];
  const tasks: Task[] = [
    ...values.map((value) => ({ kind: "value" as const, value })),
    ...paths.map((path) => ({ kind: "file" as const, path })),
  ];
  const warnings = problems.map(({ message }) => message);
  if (globs !== null && paths.length === 0) return { failure: noFiles(warnings) };
  if (tasks.length > mostTasks) return { failure: tooMany(tasks.length) };
  if (tasks.length === 0) warnings.push("inputs: the list is empty, so the coder did not run.");
  return { tasks, warnings };
}

/** What a task is about, for agents and results. */
export function inputOf(task: Task): JsonValue {
  if (task.kind === "value") return task.value;
  return task.kind === "file" ? task.path : null;
}

function noFiles(warnings: readonly string[]): Failure {
  const message = ["Expected `input_globs` to match a file; none was found.", ...warnings].join(
    " ",
  );
  return { code: "input-invalid", message };
}

function tooMany(count: number): Failure {
  const message = `Expected at most ${mostTasks} tasks, one an input; got ${count}. Narrow \`input_globs\`, or split \`inputs\`.`;
  return { code: "limit-exceeded", message };
}
