import type { Failure } from "../../run/failure.ts";
import type { JsonObject, JsonValue } from "../../source/json.ts";
import { describeGlobProblems } from "./build-coder-prompt.ts";
import { findBase } from "../files/find-base.ts";
import { type GlobProblem, isNegated } from "../files/glob.ts";
import { readTaskGlobs } from "../prompt-file/parameter.ts";
import { createWalks, selectFiles } from "../files/select-files.ts";
import { type CoderContext, nameParameter } from "./select-parameter.ts";

/** One task of a pipeline: an item of `inputs`, or one or several files of `input_globs`. */
export type Task =
  | { kind: "none" }
  | { kind: "value"; value: JsonValue }
  /** Relative to the workspace. Several paths only when a list of globs made the task. */
  | { kind: "files"; paths: string[]; isGroup: boolean };

/** The tasks of a pipeline, or why they cannot be listed. */
export type TaskList = { tasks: Task[]; warnings: string[] } | { failure: Failure };

/** The maximum number of tasks. More are most likely a glob that matches too much. */
const maxTasks = 1000;

/**
 * Lists the tasks: one per item of `inputs`, then one per file of `input_globs` or per list of globs in it. Without these
 * parameters there is one task without input.
 */
export async function listTasks(params: JsonObject, context: CoderContext): Promise<TaskList> {
  const inputs = params["inputs"] ?? null;
  const globs = readTaskGlobs(params);
  if (inputs === null && globs === null) return { tasks: [{ kind: "none" }], warnings: [] };
  const { found, problems } = await findFileTasks(globs ?? [], params, context);
  const failure = describeGlobProblems(problems);
  if (failure !== null) return { failure };
  const values = Array.isArray(inputs) ? inputs : [];
  const tasks: Task[] = [...values.map((value) => ({ kind: "value" as const, value })), ...found];
  const warnings = problems.map(({ message }) => message);
  if (globs !== null && found.length === 0) return { failure: noFiles(warnings) };
  if (tasks.length > maxTasks) return { failure: tooMany(tasks.length) };
  if (tasks.length === 0) warnings.push("inputs: the list is empty, so the coder did not run.");
  return { tasks, warnings };
}

/** Finds file tasks in the order of the globs. A file gets at most one task of its own. */
async function findFileTasks(
  globs: readonly (string | string[])[],
  params: JsonObject,
  { workspace, signal }: CoderContext,
): Promise<{ found: Task[]; problems: GlobProblem[] }> {
  const walk = createWalks(signal);
  const base = findBase(params, workspace);
  if (typeof base !== "string") return { found: [], problems: [base] };
  const negated = globs.filter((glob) => typeof glob === "string" && isNegated(glob)) as string[];
  const single = new Set<string>();
  const found: Task[] = [];
  // Negated globs apply to each of the others, so their problems would repeat.
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

/** Returns the input of a task for agents and results. */
export function inputOf(task: Task): JsonValue {
  if (task.kind === "value") return task.value;
  if (task.kind === "none") return null;
  return task.isGroup ? task.paths : (task.paths[0] ?? null);
}

function noFiles(warnings: readonly string[]): Failure {
  const message = ["Expected `input_globs` to match a file; got no match.", ...warnings].join(" ");
  return { code: "input-invalid", message };
}

function tooMany(count: number): Failure {
  const message = `Expected at most ${maxTasks} tasks, one per input; got ${count}. Narrow \`input_globs\`, or split \`inputs\`.`;
  return { code: "limit-exceeded", message };
}
