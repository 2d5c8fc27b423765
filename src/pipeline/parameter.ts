import { isRecord, type JsonObject, type JsonValue } from "../source/json.ts";
import type { KeyPath } from "../source/place.ts";
import { describeJson } from "./describe-json.ts";

/** What the coder gets files by. */
export type GlobParameter = "context_globs" | "structure_globs" | "knowledge_globs";

/** What tasks are made of: a glob is a task a file, a list of globs is one task. `working_globs` is pro@coder's name. */
const taskParameters = ["input_globs", "working_globs"] as const;

/** The lists of globs a prompt file may have; those with `_pre` and `_post` are added to the one they are called after. */
const globParameters: readonly string[] = [
  "context_globs",
  "context_globs_pre",
  "context_globs_post",
  "knowledge_globs",
  "knowledge_globs_pre",
  "knowledge_globs_post",
  "structure_globs",
];

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

/** What a known parameter may be: `schema` says to models what `find` checks, and is no wider. */
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
  inputs: known("a list, one item a task", Array.isArray, { type: "array" }),
  input_concurrency: known(
    `a whole number from 1 to ${mostInputConcurrency}`,
    (value) =>
      Number.isInteger(value) && Number(value) >= 1 && Number(value) <= mostInputConcurrency,
    { type: "integer", minimum: 1, maximum: mostInputConcurrency },
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

/** The JSON Schema of each parameter that Cadre itself reads, besides `sub_agents`. */
export const parameterSchemas: Readonly<Record<string, JsonObject>> = Object.fromEntries(
  Object.entries(parameters).map(([name, { schema }]) => [name, schema]),
);

/** The parameters Cadre itself reads, besides `sub_agents`. */
export const knownParameters: readonly string[] = Object.keys(parameters);

/** What is wrong with the known parameters of `params`; unknown ones and those without a value are passed over. */
export function findParameterProblems(params: JsonObject): ParameterProblem[] {
  return Object.entries(parameters).flatMap(([name, { find }]) => {
    const value = Object.hasOwn(params, name) ? params[name] : null;
    return value === undefined || value === null ? [] : find(value, name);
  });
}

/** The items of a list that was checked; empty when it is absent. An empty table is Lua's empty list. */
function readList(params: JsonObject, name: string): readonly JsonValue[] {
  const value = Object.hasOwn(params, name) ? params[name] : null;
  return Array.isArray(value) ? value : [];
}

function isText(value: JsonValue): value is string {
  return typeof value === "string";
}

/** Every glob of the parameters, and where it stands in them. */
export function listGlobs(params: JsonObject): { glob: string; keys: KeyPath }[] {
  return [...globParameters, ...taskParameters].flatMap((name) =>
    readList(params, name).flatMap((item, index) => {
      if (isText(item)) return [{ glob: item, keys: [name, index] }];
      const inner = Array.isArray(item) ? item : [];
      return inner.filter(isText).map((glob, at) => ({ glob, keys: [name, index, at] }));
    }),
  );
}

/** The globs that tasks are made of, in their order; a list is one task. `null`: there are no such parameters. */
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

/** The globs of a parameter between those that agents which choose files leave alone. */
export function readGlobs(params: JsonObject, name: GlobParameter): string[] {
  const names = [`${name}_pre`, name, `${name}_post`];
  return names.flatMap((one) => readList(params, one)).filter(isText);
}

/** Lua has one empty table, which is a list here. */
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
