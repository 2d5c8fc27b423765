import { extname, join, resolve } from "node:path";
import { findProjectRoot, projectFolders } from "../source/project-root.ts";

/** Where recipes are looked for. */
export interface RecipePlace {
  /** Absolute. */
  cwd: string;
  /** The user's home folder, absolute. */
  home: string;
  /** `GOOSE_RECIPE_PATH` is taken from here: folders with `:` between them. */
  environment: Readonly<Record<string, string | undefined>>;
}

/** A folder in which recipes are found by their names. */
export interface RecipeFolder {
  /** Absolute. */
  path: string;
  scope: "project" | "user";
  /** What its recipes, and symlinks in it, may not leave; absolute. */
  root: string;
}

/** Where a project keeps recipes, below any of its folders. */
export const projectRecipeFolders: readonly string[] = [
  ".cadre/recipes",
  ".goose/recipes",
  ".agents/recipes",
];
/** Where a user keeps recipes, below the home folder. */
export const userRecipeFolders: readonly string[] = [
  ".cadre/recipes",
  ".config/goose/recipes",
  ".agents/recipes",
];

/** The folders of recipes in order of precedence: the project's, nearest first, then the user's. They need not exist. */
export function recipeFolders({ cwd, home, environment }: RecipePlace): RecipeFolder[] {
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

/** The endings of recipe files. */
export const recipeEndings: readonly string[] = [".yaml", ".yml", ".json"];

/** Whether a file's name is that of a recipe. */
export function isRecipeFile(name: string): boolean {
  return recipeEndings.includes(extname(name).toLowerCase());
}
