import { extname, join, resolve } from "node:path";
import { findProjectRoot, projectFolders } from "../source/file/project-root.ts";

/** The folders and variables that determine the recipe folders. */
export interface RecipeSearch {
  /** Absolute. */
  cwd: string;
  /** The user's home folder, absolute. */
  home: string;
  /** Read for `GOOSE_RECIPE_PATH`: folders separated by `:`. */
  environment: Readonly<Record<string, string | undefined>>;
}

/** A folder to search for recipes by name. */
export interface RecipeFolder {
  /** Absolute. */
  path: string;
  scope: "project" | "user";
  /** The folder that its recipes and symlinks must not leave, absolute. */
  root: string;
}

/** The recipe folders of a project, relative to any of its folders. */
export const projectRecipeFolders: readonly string[] = [
  ".cadre/recipes",
  ".goose/recipes",
  ".agents/recipes",
];
/** The recipe folders of a user, relative to the home folder. */
export const userRecipeFolders: readonly string[] = [
  ".cadre/recipes",
  ".config/goose/recipes",
  ".agents/recipes",
];

/**
 * Returns the recipe folders in order of precedence: the project's, nearest first, then the user's. They may be
 * missing.
 */
export function recipeFolders({ cwd, home, environment }: RecipeSearch): RecipeFolder[] {
  const root = findProjectRoot({ cwd, home });
  const project = projectFolders({ cwd, home }).flatMap((base) =>
    projectRecipeFolders.map((path): RecipeFolder => ({
      path: join(base, path),
      scope: "project",
      root,
    })),
  );
  const listed = (environment["GOOSE_RECIPE_PATH"] ?? "").split(":").filter((path) => path !== "");
  const user = [
    ...userRecipeFolders.map((path) => join(home, path)),
    ...listed.map((path) => resolve(cwd, path.replace(/^~(?=\/|$)/, home))),
  ].map((path): RecipeFolder => ({ path, scope: "user", root: path }));
  const all = [...project, ...user];
  return all.filter(({ path }, at) => all.findIndex((other) => other.path === path) === at);
}

/** The file extensions of recipes. */
export const recipeEndings: readonly string[] = [".yaml", ".yml", ".json"];

/** Reports whether a file name has the extension of a recipe. */
export function isRecipeFile(name: string): boolean {
  return recipeEndings.includes(extname(name).toLowerCase());
}
