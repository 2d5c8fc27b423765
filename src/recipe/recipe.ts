import type { RetryPolicy } from "../run/retry-policy.ts";
import type { ExtensionConfig } from "../run/extension-config.ts";
import type { Diagnostic } from "../source/diagnostic.ts";
import type { JsonObject, JsonValue } from "../source/json.ts";

/** The kinds of values a parameter may take. */
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

/** One of {@link inputTypes}. */
export type InputType = (typeof inputTypes)[number];

/** When a parameter needs a value: `user_prompt` asks the user, where there is one. */
export type ParameterRequirement = "required" | "optional" | "user_prompt";

/** What a recipe asks for. */
export interface RecipeParameter {
  key: string;
  inputType: InputType;
  requirement: ParameterRequirement;
  description: string;
  /** As written; absent = none. */
  default?: JsonValue;
  /** What a `select` may be. */
  options?: readonly string[];
}

/** A recipe that another one offers to its agent. */
export interface SubRecipe {
  name: string;
  description: string;
  /** As written. */
  writtenPath: string;
  /** The file, absolute; absent when it could not be found, or is known only when the recipe is filled. */
  path?: string;
  /** See `OfferedRecipe.way`; present with `path`. */
  way?: string;
  /** Values its callers cannot change; templates over the parameters of the recipe that has it. */
  values: Readonly<Record<string, JsonValue>>;
  /** Calls of it run one after another. */
  sequentialWhenRepeated: boolean;
  /** What it asks for. */
  parameters: readonly RecipeParameter[];
}

/** An entry of `extensions`: an MCP server, or one of goose's own extensions. */
export type RecipeExtension =
  | { kind: "server"; config: ExtensionConfig }
  | { kind: "builtin"; name: string; availableTools?: readonly string[] };

/** What a recipe says, as far as it is filled. */
export interface RecipeFields {
  version: string;
  title: string;
  description: string;
  instructions?: string;
  prompt?: string;
  /** What a user interface offers to begin with. */
  activities: readonly string[];
  /** More text for the agent. */
  context: readonly string[];
  author?: { contact?: string; metadata?: string };
  parameters: readonly RecipeParameter[];
  /** Absent = the parent's. */
  extensions?: readonly RecipeExtension[];
  settings: RecipeSettings;
  /** JSON Schema. */
  outputSchema?: JsonObject;
  retry?: RetryPolicy;
  subRecipes: readonly SubRecipe[];
}

/** The model of a recipe, and its bounds. */
export interface RecipeSettings {
  provider?: string;
  model?: string;
  temperature?: number;
  maxTurns?: number;
}

/** How a recipe becomes what it says once there are values. */
export interface RecipeTemplate {
  text: string;
  /**
   * `leaves`: it is YAML as it stands, and the texts in it are filled one by one. `whole`: it is YAML only once it is filled.
   */
  kind: "leaves" | "whole";
  /** The files that it includes. */
  files: readonly { name: string; path: string; text: string }[];
  /** Braces in it that are no expressions and stay as they are. */
  literals: readonly string[];
}

/** A recipe as its file has it: its texts are templates. Plain JSON. */
export interface Recipe extends RecipeFields {
  /** Of the form of an agent's name: from the name of its file, or its title where that is just `recipe`. */
  name: string;
  /** The file, absolute and real. */
  path: string;
  /** The folder its sub-recipes and files must lie in, absolute and real. */
  root: string;
  template: RecipeTemplate;
  diagnostics: readonly Diagnostic[];
}
