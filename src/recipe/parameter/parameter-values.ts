// The values of a recipe's parameters: checks and converts them.

import { homedir } from "node:os";
import { resolve } from "node:path";
import type { JsonObject, JsonValue } from "../../source/json.ts";
import { didYouMean } from "../../source/nearest.ts";
import { isInside, resolveReal } from "../../source/file/real-path.ts";
import { readTextFile } from "../../source/file/text-file.ts";
import { checkValue, convertValue, valueText } from "./parameter-value.ts";
import type { RecipeParameter } from "../recipe.ts";

/** The problem of a value. */
export interface RecipeParameterProblem {
  key: string;
  kind: "missing" | "unknown" | "unfit" | "file" | "command";
  message: string;
}

/** Options for reading the values of parameters. */
export interface ValueOptions {
  /** The base folder for relative paths of `file` parameters; absolute. */
  cwd: string;
  /** The folders that `file` parameters may read from; absolute. */
  roots: readonly string[];
  /** Absent: the user cannot be asked. */
  ask?: AskParameter;
}

/**
 * Asks the user for a `user_prompt` parameter; `undefined` = no answer. After an invalid answer it is called again with the
 * problem, at most twice.
 */
export type AskParameter = (
  parameter: RecipeParameter,
  problem?: string,
) => Promise<string | undefined>;

const maxQuestions = 3;

/** The values for templates, and all problems of the given values. */
export interface ParameterValues {
  values: JsonObject;
  problems: RecipeParameterProblem[];
}

/** Checks given values against the parameters of a recipe, and adds defaults and the user's answers. */
export async function readParameterValues(
  parameters: readonly RecipeParameter[],
  given: Readonly<Record<string, JsonValue>>,
  options: ValueOptions,
): Promise<ParameterValues> {
  const values = new Map<string, JsonValue>();
  const problems = unknownKeys(parameters, given);
  // Skips questions for a call that is refused anyway.
  const isHopeless = problems.length > 0 || parameters.some((one) => isMissing(one, given));
  const ask = isHopeless ? undefined : options.ask;
  for (const parameter of parameters) {
    const value = givenValue(parameter, given) ?? parameter.default;
    const read =
      value === undefined
        ? await askForValue(parameter, ask, options)
        : await readValue(parameter, value, options);
    if ("problem" in read) problems.push(read.problem);
    else values.set(parameter.key, read.value);
  }
  return { values: Object.fromEntries(values), problems };
}

function unknownKeys(
  parameters: readonly RecipeParameter[],
  given: Readonly<Record<string, JsonValue>>,
): RecipeParameterProblem[] {
  const known = parameters.map(({ key }) => key);
  return Object.keys(given)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const hint = didYouMean(key, known);
      const has = known.length === 0 ? "It has no parameters." : `It has ${known.join(", ")}.`;
      const message = `\`${key}\` is not a parameter of the recipe.${hint} ${has}`;
      return { key, kind: "unknown", message };
    });
}

function givenValue(
  { key }: RecipeParameter,
  given: Readonly<Record<string, JsonValue>>,
): JsonValue | undefined {
  return Object.hasOwn(given, key) ? (given[key] ?? undefined) : undefined;
}

function isMissing(
  parameter: RecipeParameter,
  given: Readonly<Record<string, JsonValue>>,
): boolean {
  const isAsked = parameter.requirement === "user_prompt";
  return givenValue(parameter, given) === undefined && parameter.default === undefined && !isAsked;
}

type Read = { value: JsonValue } | { problem: RecipeParameterProblem };

async function askForValue(
  parameter: RecipeParameter,
  ask: AskParameter | undefined,
  options: ValueOptions,
): Promise<Read> {
  if (parameter.requirement !== "user_prompt") return { problem: missing(parameter) };
  let unfit: RecipeParameterProblem | undefined;
  for (let questions = 0; questions < maxQuestions; questions += 1) {
    const answer = await ask?.(parameter, unfit?.message);
    if (answer === undefined) return { problem: missing(parameter) };
    const read = await readValue(parameter, answer, options);
    if (!("problem" in read)) return read;
    unfit = read.problem;
  }
  return { problem: unfit ?? missing(parameter) };
}

async function readValue(
  parameter: RecipeParameter,
  value: JsonValue,
  options: ValueOptions,
): Promise<Read> {
  const { key, inputType } = parameter;
  // An invalid default is used unchanged. Loading the recipe reports it.
  const isDefault = value === parameter.default;
  const unfit = checkValue(parameter, value);
  if (unfit !== null && !isDefault) {
    return { problem: { key, kind: "unfit", message: `\`${key}\`: ${unfit}.` } };
  }
  if (inputType === "file") return await readFileValue(key, valueText(value), options);
  return { value: unfit === null ? convertValue(parameter, value) : value };
}

async function readFileValue(
  key: string,
  written: string,
  { cwd, roots }: ValueOptions,
): Promise<Read> {
  const refuse = (reason: string): { problem: RecipeParameterProblem } => ({
    problem: { key, kind: "file", message: `\`${key}\`: ${reason}` },
  });
  const path = resolve(cwd, written.replace(/^~(?=\/)/, homedir()));
  const real = await resolveReal(path);
  if (real === null) return refuse(`expected a file at ${path}, but nothing is there.`);
  const allowed = await Promise.all(roots.map(async (root) => (await resolveReal(root)) ?? root));
  if (!allowed.some((root) => isInside(real, root))) {
    return refuse(`expected a file inside of ${allowed.join(" or ")}, got ${real}.`);
  }
  const { text, diagnostics } = await readTextFile(real);
  return text === null
    ? refuse(`${real}: ${diagnostics[0]?.message ?? "unreadable"}`)
    : { value: text };
}

function missing({ key, description, inputType }: RecipeParameter): RecipeParameterProblem {
  const what = description === "" ? "" : `: ${description}`;
  return { key, kind: "missing", message: `\`${key}\` (${inputType}) is missing${what}` };
}
