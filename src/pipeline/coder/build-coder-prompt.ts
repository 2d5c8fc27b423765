// The coder's work: lists the tasks of a pipeline and builds the prompt of each.

import type { Failure } from "../../run/failure.ts";
import type { JsonObject } from "../../source/json.ts";
import { renderCoderPrompt, type TaskInput } from "./coder-prompt.ts";
import type { GlobProblem } from "../files/glob.ts";
import type { GlobParameter } from "../prompt-file/parameter.ts";
import {
  type ByteBudget,
  type FileText,
  type LeftOutFile,
  readFiles,
} from "../files/read-files.ts";
import { createWalks, nameSome } from "../files/select-files.ts";
import { type CoderContext, selectKnowledge, selectParameter } from "./select-parameter.ts";
import { findLargest, type SizedFile } from "../files/explain-overflow.ts";

/** The default of `max_files_size_kb`, the total size of the coder's files in kilobytes; the same as pro@coder's. */
const defaultTotalKilobytes = 1000;
/** The maximum number of paths in the structure. More do not help a model. */
const maxPaths = 5000;

/** A prompt to build. */
export interface CoderRequest {
  params: JsonObject;
  /** The segments of the instruction. */
  prompts: readonly string[];
  /** `null` when the pipeline has no inputs. */
  input: TaskInput | null;
}

/** The coder's prompt with warnings for the user, or why it cannot be built. */
export type BuiltPrompt =
  | {
      text: string;
      warnings: string[];
      /** The largest files in the prompt, largest first; absent in journals of earlier versions. */
      largest?: SizedFile[];
    }
  | { failure: Failure };

/** Reads the files that `params` select and builds the coder's prompt. */
export async function buildCoderPrompt(
  { params, prompts, input }: CoderRequest,
  coderContext: CoderContext,
): Promise<BuiltPrompt> {
  const files = { workspace: coderContext.workspace, walk: createWalks(coderContext.signal) };
  const knowledgeFiles = await selectKnowledge(params, coderContext, files);
  const contextFiles = await selectParameter("context_globs", params, files);
  const structureFiles = await selectParameter("structure_globs", params, files);
  const problems = [knowledgeFiles, contextFiles, structureFiles].flatMap((one) => one.problems);
  const failure = describeGlobProblems(problems);
  if (failure !== null) return { failure };
  const budget = createBudget(params);
  const { names, ...readable } = knowledgeFiles;
  const knowledge = await readFiles(readable.paths, { ...coderContext, ...readable }, budget);
  const context = await readFiles(contextFiles.paths, coderContext, budget);
  const structure = structureFiles.paths.slice(0, maxPaths);
  const leftOut = [
    ...describeLeftOut("knowledge_globs", knowledge.leftOut),
    ...describeLeftOut("context_globs", context.leftOut),
    ...describeCut(structureFiles.paths.slice(maxPaths)),
  ];
  const named = knowledge.files.map(({ path, text }) => ({ path: names.get(path) ?? path, text }));
  const material = { knowledge: named, context: context.files, structure };
  const text = renderCoderPrompt({ ...material, leftOut, input, prompts });
  const largest = findLargest([...named, ...context.files, ...filesOf(input)]);
  return { text, warnings: [...problems.map(({ message }) => message), ...leftOut], largest };
}

function filesOf(input: TaskInput | null): readonly FileText[] {
  return input !== null && "files" in input ? input.files : [];
}

/** Returns the `input-invalid` failure of unusable globs, or `null`. */
export function describeGlobProblems(problems: readonly GlobProblem[]): Failure | null {
  const errors = problems.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return null;
  return { code: "input-invalid", message: errors.map(({ message }) => message).join("\n") };
}

/** Reads all files of a task, or none. A single file may have any size; several are limited by `max_files_size_kb`. */
export async function readInputFiles(
  paths: readonly string[],
  params: JsonObject,
  context: Pick<CoderContext, "workspace">,
): Promise<{ files: FileText[] } | { failure: Failure }> {
  const budget = paths.length === 1 ? { left: Infinity } : createBudget(params);
  const { files, leftOut } = await readFiles(paths, context, budget);
  const [missing] = leftOut;
  if (missing === undefined) return { files };
  const message = `The input ${missing.path} cannot be given to the coder: ${missing.why}.`;
  return { failure: { code: "input-invalid", message } };
}

function createBudget(params: JsonObject): ByteBudget {
  const written = params["max_files_size_kb"];
  return { left: (typeof written === "number" ? written : defaultTotalKilobytes) * 1024 };
}

/** Returns one sentence per reason. */
function describeLeftOut(name: GlobParameter, files: readonly LeftOutFile[]): string[] {
  const reasons = Map.groupBy(files, ({ why }) => why);
  return [...reasons].map(([why, some]) => {
    const names = nameSome(some.map(({ path }) => path));
    return `${name}: ${some.length} left out, ${why}: ${names}.`;
  });
}

function describeCut(paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  return [
    `structure_globs: ${paths.length} paths left out, more than ${maxPaths}: ${nameSome(paths)}.`,
  ];
}
