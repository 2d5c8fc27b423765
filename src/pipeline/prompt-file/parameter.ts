import { isRecord, type JsonObject, type JsonValue } from "../../source/json.ts";
import type { KeyPath } from "../../source/position.ts";
import { describeJson } from "./describe-json.ts";

/** The parameters that select files for the coder. */
export type GlobParameter = "context_globs" | "structure_globs" | "knowledge_globs";

/**
 * The parameters that make tasks: a glob makes one task per file, a list of globs one task. `working_globs` is pro@coder's name.
 */
const taskParameters = ["input_globs", "working_globs"] as const;

/** All lists of globs of a prompt file. Those with `_pre` and `_post` extend the list they are named after. */
const globParameters: readonly string[] = [
  "context_globs",
  "context_globs_pre",
  "context_globs_post",
  "knowledge_globs",
  "knowledge_globs_pre",
  "knowledge_globs_post",
  "structure_globs",
];

/** The globs that `coder_params` always contains. */
export const givenGlobs = ["context_globs", "structure_globs", "knowledge_globs"] as const;

/** The default of `input_concurrency`, the number of concurrent tasks; the same as AIPack's. */
export const defaultInputConcurrency = 2;
/** The maximum of `input_concurrency`. */
const maxInputConcurrency = 64;

/** A problem of one known parameter. */
export interface ParameterProblem {
  /** The parameter, optionally with an index. */
  keys: [string, ...(string | number)[]];
  expected: string;
  got: string;
}

type Check = (value: JsonValue, name: string) => ParameterProblem[];

/** The allowed values of a known parameter: `schema` tells models what `find` checks, and is at least as strict. */
interface KnownParameter {
  find: Check;
  schema: JsonObject;
}

const globSchema: JsonObject = { type: "string", pattern: "\\S" };
const globsSchema: JsonObject = { type: "array", items: globSchema };
const aliasesSchema: JsonObject = { type: "object", additionalProperties: { type: "string" } };
const nameSchema: JsonObject = { type: "string", minLength: 1 };

const parameters: Readonly<Record<string, KnownParameter>> = {
  agent: known("the name of an agent", (value) => isText(value) && value !== "", nameSchema),
  model: known("the name of a model", (value) => isText(value) && value !== "", nameSchema),
  model_aliases: known("a table of short names and models", isAliases, aliasesSchema),
  base_dir: known("a folder of the workspace", isText, { type: "string" }),
  inputs: known("a list, one item per task", Array.isArray, { type: "array" }),
  input_concurrency: known(
    `a whole number from 1 to ${maxInputConcurrency}`,
    (value) =>
      Number.isInteger(value) && Number(value) >= 1 && Number(value) <= maxInputConcurrency,
    { type: "integer", minimum: 1, maximum: maxInputConcurrency },
  ),
  max_files_size_kb: known(
    "a number of kilobytes above 0",
    (value) => typeof value === "number" && value > 0,
    { type: "number", exclusiveMinimum: 0 },
  ),
  ...Object.fromEntries(
    globParameters.map((name) => [name, { find: checkGlobs, schema: globsSchema }]),
  ),
  ...Object.fromEntries(
    taskParameters.map((name) => [name, { find: checkTaskGlobs, schema: taskGlobsSchema() }]),
  ),
  write_answer: known("true or false", (value) => typeof value === "boolean", { type: "boolean" }),
};

/** The JSON Schema of each parameter that Cadre reads, except `sub_agents`. */
export const parameterSchemas: Readonly<Record<string, JsonObject>> = Object.fromEntries(
  Object.entries(parameters).map(([name, { schema }]) => [name, schema]),
);

/** The parameters that Cadre reads, except `sub_agents`. */
export const knownParameters: readonly string[] = Object.keys(parameters);

/** Finds the problems of known parameters. Ignores unknown parameters and those without a value. */
export function findParameterProblems(params: JsonObject): ParameterProblem[] {
  return Object.entries(parameters).flatMap(([name, { find }]) => {
    const value = Object.hasOwn(params, name) ? params[name] : null;
    return value === undefined || value === null ? [] : find(value, name);
  });
}

/** Returns the items of a checked list; empty when it is absent or an empty table, which is Lua's empty list. */
function readList(params: JsonObject, name: string): readonly JsonValue[] {
  const value = Object.hasOwn(params, name) ? params[name] : null;
  return Array.isArray(value) ? value : [];
}

function isText(value: JsonValue): value is string {
  return typeof value === "string";
}

/** Lists every glob of the parameters with its place. */
export function listGlobs(params: JsonObject): { glob: string; keys: KeyPath }[] {
  return [...globParameters, ...taskParameters].flatMap((name) =>
    readList(params, name).flatMap((item, index) => {
      if (isText(item)) return [{ glob: item, keys: [name, index] }];
      const inner = Array.isArray(item) ? item : [];
      return inner.filter(isText).map((glob, at) => ({ glob, keys: [name, index, at] }));
    }),
  );
}

/** Returns the globs of tasks in order; a list is one task. `null` when the parameters are absent. */
export function readTaskGlobs(params: JsonObject): (string | string[])[] | null {
  const given = taskParameters.filter((name) => (params[name] ?? null) !== null);
  if (given.length === 0) return null;
  const items = given.flatMap((name) => readList(params, name));
  const globs: (string | string[])[] = [];
  for (const item of items) {
    if (isText(item)) globs.push(item);
    else if (Array.isArray(item)) globs.push(item.filter(isText));
  }
  return globs;
}

/** Returns the globs of a parameter with its `_pre` and `_post` lists, which agents that choose files do not change. */
export function readGlobs(params: JsonObject, name: GlobParameter): string[] {
  const names = [`${name}_pre`, name, `${name}_post`];
  return names.flatMap((one) => readList(params, one)).filter(isText);
}

/** Reports whether a value is a table of aliases. Lua's empty table arrives as an empty list. */
function isAliases(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.values(value).every(isText);
}

function known(
  expected: string,
  isRight: (value: JsonValue) => boolean,
  schema: JsonObject,
): KnownParameter {
  const find: Check = (value, name) =>
    isRight(value) ? [] : [{ keys: [name], expected, got: describeJson(value) }];
  return { find, schema };
}

function taskGlobsSchema(): JsonObject {
  const group = { ...globsSchema, minItems: 1 };
  return { type: "array", items: { anyOf: [globSchema, group] } };
}

function checkGlobs(value: JsonValue, name: string): ParameterProblem[] {
  if (isRecord(value) && Object.keys(value).length === 0) return [];
  if (!Array.isArray(value)) {
    return [{ keys: [name], expected: "a list of globs", got: describeJson(value) }];
  }
  return value.flatMap((glob, index) => checkGlob(glob, [name, index]));
}

function checkGlob(glob: JsonValue, keys: ParameterProblem["keys"]): ParameterProblem[] {
  const isRight = typeof glob === "string" && glob.trim() !== "";
  return isRight ? [] : [{ keys, expected: "a glob", got: describeJson(glob) }];
}

function checkTaskGlobs(value: JsonValue, name: string): ParameterProblem[] {
  if (!Array.isArray(value)) return checkGlobs(value, name);
  return value.flatMap((item, index) => {
    if (!Array.isArray(item)) return checkGlob(item, [name, index]);
    if (item.length > 0) return item.flatMap((glob, at) => checkGlob(glob, [name, index, at]));
    return [{ keys: [name, index], expected: "a glob or a list of globs", got: "an empty list" }];
  });
}
