import { isRecord, type JsonObject, type JsonValue } from "../source/json.ts";
import { describeJson } from "./describe-json.ts";

/** The lists of globs a prompt file may have. */
export const globParameters = [
  "context_globs",
  "structure_globs",
  "knowledge_globs",
  "input_globs",
] as const;

/** One of {@link globParameters}. */
export type GlobParameter = (typeof globParameters)[number];

/** The globs that agents find in `coder_params` whether the prompt file has them or not. */
export const givenGlobs = ["context_globs", "structure_globs", "knowledge_globs"] as const;

/** Tasks under way at once where `input_concurrency` does not say: what AIPack's own default is. */
export const defaultInputConcurrency = 2;
/** More tasks at once help nobody. */
const mostInputConcurrency = 64;

/** What is wrong with one known parameter. */
export interface ParameterProblem {
  /** The parameter, and perhaps an index in it. */
  keys: [string, ...(string | number)[]];
  expected: string;
  got: string;
}

type Check = (value: JsonValue, name: string) => ParameterProblem[];

const checks: Readonly<Record<string, Check>> = {
  agent: check("the name of an agent", (value) => typeof value === "string" && value !== ""),
  model: check("the name of a model", (value) => typeof value === "string" && value !== ""),
  base_dir: check("a folder of the workspace", (value) => typeof value === "string"),
  inputs: check("a list, one item a task", Array.isArray),
  input_concurrency: check(
    `a whole number from 1 to ${mostInputConcurrency}`,
    (value) =>
      Number.isInteger(value) && Number(value) >= 1 && Number(value) <= mostInputConcurrency,
  ),
  max_files_size_kb: check(
    "a number of kilobytes above 0",
    (value) => typeof value === "number" && value > 0,
  ),
  ...Object.fromEntries(globParameters.map((name) => [name, checkGlobs])),
};

/** The parameters Cadre itself reads, besides `sub_agents`. */
export const knownParameters: readonly string[] = Object.keys(checks);

/** What is wrong with the known parameters of `params`; unknown ones and those without a value are passed over. */
export function findParameterProblems(params: JsonObject): ParameterProblem[] {
  return Object.entries(checks).flatMap(([name, find]) => {
    const value = Object.hasOwn(params, name) ? params[name] : null;
    return value === undefined || value === null ? [] : find(value, name);
  });
}

/** The globs of a parameter that was checked; empty when it is absent. An empty table is Lua's empty list. */
export function readGlobs(params: JsonObject, name: GlobParameter): string[] {
  const value = Object.hasOwn(params, name) ? params[name] : null;
  return Array.isArray(value) ? value.filter((glob) => typeof glob === "string") : [];
}

function check(expected: string, isRight: (value: JsonValue) => boolean): Check {
  return (value, name) =>
    isRight(value) ? [] : [{ keys: [name], expected, got: describeJson(value) }];
}

function checkGlobs(value: JsonValue, name: string): ParameterProblem[] {
  if (isRecord(value) && Object.keys(value).length === 0) return [];
  if (!Array.isArray(value)) {
    return [{ keys: [name], expected: "a list of globs", got: describeJson(value) }];
  }
  return value.flatMap((glob, index) =>
    typeof glob === "string" && glob.trim() !== ""
      ? []
      : [{ keys: [name, index], expected: "a glob", got: describeJson(glob) }],
  );
}
