// Recipes in goose's format: reading, checking and filling them.

import type { RetryPolicy } from "../run/retry-policy.ts";
import type { ExtensionConfig } from "../run/extension-config.ts";
import type { Diagnostic } from "../source/diagnostic.ts";
import type { JsonObject, JsonValue } from "../source/json.ts";

/** The types of parameter values. */
export const inputTypes = [
  "string",
  "number",
  "boolean",
  "date",
  "file",
  "select",
  "object",
  "array",
] as const;

/** The type of a recipe parameter, as goose names it. */
export type InputType = (typeof inputTypes)[number];

/** Whether a parameter needs a value. `user_prompt` asks the user, if possible. */
export type ParameterRequirement = "required" | "optional" | "user_prompt";

/** A parameter of a recipe. */
export interface RecipeParameter {
  key: string;
  inputType: InputType;
  requirement: ParameterRequirement;
  description: string;
  /** As written; absent = none. */
  default?: JsonValue;
  /** The choices of a `select`. */
  options?: readonly string[];
}

/** A recipe that the agent of another recipe may call. */
export interface SubRecipe {
  name: string;
  description: string;
  /** The path as written. */
  writtenPath: string;
  /** The file, absolute; absent when it was not found or its path depends on the values of the recipe. */
  path?: string;
  /** See `OfferedRecipe.way`; present with `path`. */
  way?: string;
  /** Fixed values, which callers cannot change; templates with the parameters of the parent recipe. */
  values: Readonly<Record<string, JsonValue>>;
  /** Whether its calls run one after another. */
  sequentialWhenRepeated: boolean;
  /** Its parameters. */
  parameters: readonly RecipeParameter[];
}

/** An entry of `extensions`: an MCP server, or one of goose's own extensions. */
export type RecipeExtension =
  | { kind: "server"; config: ExtensionConfig }
  | { kind: "builtin"; name: string; availableTools?: readonly string[] };

/** The fields of a recipe, filled or not. */
export interface RecipeFields {
  version: string;
  title: string;
  description: string;
  instructions?: string;
  prompt?: string;
  /** Suggestions for the first message in a user interface. */
  activities: readonly string[];
  /** Additional instructions for the agent. */
  context: readonly string[];
  author?: { contact?: string; metadata?: string };
  parameters: readonly RecipeParameter[];
  /** Absent = the parent's. */
  extensions?: readonly RecipeExtension[];
  settings: RecipeSettings;
  /** The JSON Schema of the output. */
  outputSchema?: JsonObject;
  retry?: RetryPolicy;
  subRecipes: readonly SubRecipe[];
}

/** The model settings of a recipe. */
export interface RecipeSettings {
  provider?: string;
  model?: string;
  temperature?: number;
  maxTurns?: number;
}

/** The template of a recipe, which is filled with values. */
export interface RecipeTemplate {
  text: string;
  /**
   * `leaves`: the file is valid YAML, and its texts are filled one by one. `whole`: the file is valid YAML only after filling.
   */
  kind: "leaves" | "whole";
  /** The included files. */
  files: readonly { name: string; path: string; text: string }[];
  /** The contents of braces that are not expressions and stay as written. */
  literals: readonly string[];
}

/** An unfilled recipe, whose texts are templates. Plain JSON. */
export interface Recipe extends RecipeFields {
  /** The agent name, from the name of its file, or its title when the file is just `recipe.yaml`. */
  name: string;
  /** The file, absolute and real. */
  path: string;
  /** The folder that must contain its sub-recipes and files, absolute and real. */
  root: string;
  template: RecipeTemplate;
  diagnostics: readonly Diagnostic[];
}
