import { packRoots } from "../../aip/location/resolve-aip.ts";
import { dirname, join, resolve } from "node:path";
import { builtInFormats } from "../../agent/find-format.ts";
import type { Discovery, DiscoverRequest } from "../../agent/discover.ts";
import { type RecipeSearch, recipeFolders } from "../../recipe/recipe-folder.ts";
import type { OfferedRecipe } from "../../run/offered-recipe.ts";
import { projectFolders } from "../../source/file/project-root.ts";
import { type WatchedFolder, watchFolders } from "../../source/file/watch-folders.ts";

/** The agents and how to read them again. */
export interface WatchedCatalog {
  discover(): Promise<Discovery>;
  recipes(): Promise<readonly OfferedRecipe[]>;
  forget(): void;
}

/** See `Cadre.watchAgents`. */
export async function watchCatalog(
  catalog: WatchedCatalog,
  request: DiscoverRequest & RecipeSearch,
  onChange: () => void,
): Promise<() => void> {
  let seen: string | undefined;
  let isStopped = false;
  async function reload(): Promise<void> {
    catalog.forget();
    const now = await describe(catalog);
    const isChange = seen !== undefined && seen !== now;
    seen = now;
    if (isChange && !isStopped) onChange();
  }
  let last = Promise.resolve();
  const inTurn = (): Promise<void> => (last = last.then(reload));
  const stop = watchFolders(watchedFolders(request), () => {
    inTurn().catch((error: unknown) => {
      process.emitWarning(`The agents could not be read again: ${String(error)}`);
      last = Promise.resolve();
    });
  });
  await inTurn();
  return () => {
    isStopped = true;
    stop();
  };
}

/** Returns everything about the available agents that callers can see. */
async function describe(catalog: WatchedCatalog): Promise<string> {
  const [{ agents, all }, recipes] = await Promise.all([catalog.discover(), catalog.recipes()]);
  return JSON.stringify([agents, all.map(({ name, diagnostics }) => [name, diagnostics]), recipes]);
}

function watchedFolders(request: DiscoverRequest & RecipeSearch): WatchedFolder[] {
  const { cwd, home, files = [], formats = builtInFormats } = request;
  const bases = projectFolders({ cwd, home });
  return [
    ...formats.folders.flatMap(({ path, isDeep }) =>
      bases.map((base) => ({ path: join(base, path), isDeep })),
    ),
    ...formats.folders.map(({ userPath, isDeep }) => ({ path: join(home, userPath), isDeep })),
    ...formats.declaringFiles.flatMap((file) =>
      [...bases, home].map((base) => ({ path: join(base, dirname(file)), isDeep: false })),
    ),
    ...recipeFolders(request).map(({ path }) => ({ path, isDeep: false })),
    ...packRoots({ workspace: cwd, home }).map((path) => ({ path, isDeep: true })),
    ...files.map((file) => ({ path: dirname(resolve(cwd, file)), isDeep: false })),
  ];
}
