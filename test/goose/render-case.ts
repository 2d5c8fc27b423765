import type { JsonObject } from "../../src/source/json.ts";

/** The visible parts of a filled recipe, without empty or missing fields. */
export interface Facts {
  prompt?: string;
  instructions?: string;
  title?: string;
  activities?: readonly string[];
  /** The model as `provider:model`. */
  model?: string;
  temperature?: number;
  maxTurns?: number;
  schema?: JsonObject;
  retries?: number;
  /** The commands of `retry`. */
  checks?: readonly string[];
  /** The name, the command or address, and the arguments of each MCP server. */
  servers?: readonly string[];
  /** The names of the sub-recipes that can be called. */
  subRecipes?: readonly string[];
}

/** The same recipe with the same values, filled by goose and by Cadre. */
export type RenderCase = {
  name: string;
  values?: Readonly<Record<string, string>>;
  /** Files beside the recipe. */
  files?: Readonly<Record<string, string>>;
  /** The result of goose 1.52. */
  goose: Facts | "refused";
} & (
  | { /** The text after `version`, `title` and `description`. */ recipe: string }
  | { /** All of the file. */ file: string }
) &
  ({ cadre?: undefined } | { /** If it differs. */ cadre: Facts | "refused"; why: string });

/** The reasons why Cadre differs from goose. */
export const whys = {
  unknown: "A value that nothing takes is most likely a misspelt key.",
  checked: "Values are checked against what the recipe declares.",
  types: "Objects and arrays are not in goose 1.52; its next version has them.",
  lenient: "What was meant is clear, and a warning says how to write it.",
  preview: "goose fills a recipe once without values, and stumbles over those that are undefined.",
  functions: "goose takes a function of the engine for a parameter that is not declared.",
  features: "goose is built without this part of the engine.",
  booleans: "The engine of goose writes booleans like Python.",
  structure: "Values are put in after the YAML is read, so they cannot break it.",
  whole: "goose reads the file as YAML before it is filled.",
  bounds: "No model takes it.",
  dropped: "goose drops it without a word.",
  circle: "It would end at the limit for depth, after many paid runs.",
} as const;

/** Returns the text of a case's recipe. */
export function recipeOf(one: RenderCase): string {
  if ("file" in one) return one.file;
  return `version: 1.0.0\ntitle: T\ndescription: d\n${one.recipe}`;
}

/** Returns `parameters` with the given items. */
export function declareItems(...items: string[]): string {
  return `parameters:\n${items.join("")}`;
}

/** Returns a required text parameter with more fields. */
export function required(key: string, more = ""): string {
  return typed(key, "string", more);
}

/** Returns a required parameter of a type with more fields. */
export function typed(key: string, type: string, more = ""): string {
  return `  - {key: ${key}, input_type: ${type}, requirement: required, description: d${more}}\n`;
}

/** Returns an optional text parameter. */
export function optionalParameter(key: string, byDefault = ""): string {
  const value = JSON.stringify(byDefault);
  return `  - {key: ${key}, input_type: string, requirement: optional, default: ${value}, description: d}\n`;
}
