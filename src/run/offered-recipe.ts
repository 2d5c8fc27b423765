import type { JsonValue } from "../source/json.ts";

/** A recipe that an agent may delegate to by name. Plain JSON. */
export interface OfferedRecipe {
  name: string;
  description: string;
  /** The file, absolute. */
  path: string;
  /** The path before its symbolic links were resolved: changing one of the links changes the recipe. */
  way: string;
  /** The folder that must contain its files, absolute. */
  root: string;
  /** The source of the file. A recipe of a project runs commands only if its folder is trusted. */
  scope: "project" | "user" | "library";
  /** Fixed values of parameters, which callers cannot change. */
  values: Readonly<Record<string, JsonValue>>;
  /** Whether its calls run one after another. */
  sequentialWhenRepeated: boolean;
  /** A recipe lists it as a sub-recipe, so its author granted its tools; absent = it was discovered. */
  isSubRecipe?: boolean;
  /** Its parameters. */
  parameters: readonly OfferedParameter[];
}

/** A parameter of a recipe. */
export interface OfferedParameter {
  key: string;
  inputType: string;
  requirement: "required" | "optional" | "user_prompt";
  description: string;
  default?: JsonValue;
  options?: readonly string[];
}
