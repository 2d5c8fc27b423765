import type { JsonValue } from "../source/json.ts";

/** A recipe that an agent may have run by its name. Plain JSON. */
export interface OfferedRecipe {
  name: string;
  description: string;
  /** The file, absolute. */
  path: string;
  /** The same before its symbolic links were followed: whoever turns one of them changes the recipe. */
  way: string;
  /** The folder that it may not leave, absolute. */
  root: string;
  /** Where the file is from: what a project brings along runs commands only when its folder is trusted. */
  scope: "project" | "user" | "library";
  /** Values its callers cannot change. */
  values: Readonly<Record<string, JsonValue>>;
  /** Calls of it run one after another. */
  sequentialWhenRepeated: boolean;
  /** It stands in the list of a recipe, whose author gave it its tools; absent = it was only found. */
  isSubRecipe?: boolean;
  /** What it asks for. */
  parameters: readonly OfferedParameter[];
}

/** A value that a recipe asks for. */
export interface OfferedParameter {
  key: string;
  inputType: string;
  requirement: "required" | "optional" | "user_prompt";
  description: string;
  default?: JsonValue;
  options?: readonly string[];
}
