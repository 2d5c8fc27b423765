import type { Failure } from "../run/failure.ts";
import type { JsonObject, JsonValue } from "../source/json.ts";
import { toFailure } from "./build-coder-prompt.ts";
import { findBase } from "./find-base.ts";
import { type GlobProblem, isNegated } from "./glob.ts";
import { readTaskGlobs } from "./parameter.ts";
import { createWalks, selectFiles } from "./select-files.ts";
import { type CoderPlace, nameParameter } from "./select-parameter.ts";

/** One task of a pipeline: an item of `inputs`, or a file or several of `input_globs`. */
export type Task =
  | { kind: "none" }
  | { kind: "value"; value: JsonValue }
  /** Relative to the workspace; one, unless a list of globs made a task of several. */
  | { kind: "files"; paths: string[]; isGroup: boolean };

/** The tasks of a pipeline, or why there are none. */
export type TaskList = { tasks: Task[]; warnings: string[] } | { failure: Failure };

/** More tasks than these are a glob that matches too much most likely. */
const mostTasks = 1000;

/**
 * Finds the tasks: one an item of `inputs`, then one a file of `input_globs`, or a list of globs in it; without these parameters
 * one without input.
 */
export async function listTasks(params: JsonObject, place: CoderPlace): Promise<TaskList> {
  const inputs = params["inputs"] ?? null;
  const globs = readTaskGlobs(params);
  if (inputs === null && globs === null) return { tasks: [{ kind: "none" }], warnings: [] };
  const { found, problems } = await findFileTasks(globs ?? [], params, place);
  const failure = toFailure(problems);
  if (failure !== null) return { failure };
  const values = Array.isArray(inputs) ? inputs : [];
  const tasks: Task[] = [...values.map((value) => ({ kind: "value" as const, value })), ...found];
  const warnings = problems.map(({ message }) => message);
  if (globs !== null && found.length === 0) return { failure: noFiles(warnings) };
  if (tasks.length > mostTasks) return { failure: tooMany(tasks.length) };
  if (tasks.length === 0) warnings.push("inputs: the list is empty, so the coder did not run.");
  return { tasks, warnings };
}

/** In the order of the globs; a file that has a task of its own gets no second one. */
async function findFileTasks(
  globs: readonly (string | string[])[],
  params: JsonObject,
  { workspace, signal }: CoderPlace,
): Promise<{ found: Task[]; problems: GlobProblem[] }> {
  const walk = createWalks(signal);
  const base = findBase(params, workspace);
  if (typeof base !== "string") return { found: [], problems: [base] };
  const negated = globs.filter((glob) => typeof glob === "string" && isNegated(glob)) as string[];
  const single = new Set<string>();
  const found: Task[] = [];
  // Those taken away are looked at with each of the others.
  const problems = new Map<string, GlobProblem>();
  for (const glob of globs) {
    const isGroup = Array.isArray(glob);
    if (!isGroup && isNegated(glob)) continue;
    const written = [...(isGroup ? glob : [glob]), ...negated];
    const selection = await selectFiles(written, { workspace, base, walk });
    for (const one of nameParameter(selection.problems, "input_globs")) {
      problems.set(one.message, one);
    }
    const { paths } = selection;
    if (isGroup && paths.length > 0) found.push({ kind: "files", paths, isGroup });
    for (const path of isGroup ? [] : paths) {
      if (single.has(path)) continue;
      single.add(path);
      found.push({ kind: "files", paths: [path], isGroup });
    }
  }
  return { found, problems: [...problems.values()] };
}

/** What a task is about, for agents and results. */
export function inputOf(task: Task): JsonValue {
  if (task.kind === "value") return task.value;
  if (task.kind === "none") return null;
  return task.isGroup ? task.paths : (task.paths[0] ?? null);
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
