import { packRoots } from "../aip/resolve-aip.ts";
import { dirname, join, resolve } from "node:path";
import { agentFolders } from "../agent/agent-folder.ts";
import type { Discovery, DiscoverRequest } from "../agent/discover.ts";
import { type RecipePlace, recipeFolders } from "../recipe/recipe-folder.ts";
import type { OfferedRecipe } from "../run/offered-recipe.ts";
import { projectFolders } from "../source/project-root.ts";
import { type WatchedFolder, watchFolders } from "../source/watch-folders.ts";

/** What there is, and the way to look again. */
export interface WatchedCatalog {
  discover(): Promise<Discovery>;
  recipes(): Promise<readonly OfferedRecipe[]>;
  forget(): void;
}

/** See `Cadre.watchAgents`. */
export async function watchCatalog(
  catalog: WatchedCatalog,
  request: DiscoverRequest & RecipePlace,
  onChange: () => void,
): Promise<() => void> {
  let seen: string | undefined;
  let isStopped = false;
  async function look(): Promise<void> {
    catalog.forget();
    const now = await describe(catalog);
    const isChange = seen !== undefined && seen !== now;
    seen = now;
    if (isChange && !isStopped) onChange();
  }
  let last = Promise.resolve();
  const inTurn = (): Promise<void> => (last = last.then(look));
  const stop = watchFolders(watchedFolders(request), () => {
    inTurn().catch((error: unknown) => {
      process.emitWarning(`The agents could not be looked up anew: ${String(error)}`);
      last = Promise.resolve();
    });
  });
  await inTurn();
  return () => {
    isStopped = true;
    stop();
  };
}

/** All that others can notice of what can be delegated to. */
async function describe(catalog: WatchedCatalog): Promise<string> {
  const [{ agents, all }, recipes] = await Promise.all([catalog.discover(), catalog.recipes()]);
  return JSON.stringify([agents, all.map(({ name, diagnostics }) => [name, diagnostics]), recipes]);
}

function watchedFolders(request: DiscoverRequest & RecipePlace): WatchedFolder[] {
  const { cwd, home, files = [] } = request;
  const bases = projectFolders({ cwd, home });
  return [
    ...agentFolders.flatMap(({ path, isDeep }) =>
      bases.map((base) => ({ path: join(base, path), isDeep })),
    ),
    ...agentFolders.map(({ userPath, isDeep }) => ({ path: join(home, userPath), isDeep })),
    // Roles of Codex are declared in its configuration.
    ...[...bases, home].map((base) => ({ path: join(base, ".codex"), isDeep: false })),
    ...recipeFolders(request).map(({ path }) => ({ path, isDeep: false })),
    ...packRoots({ workspace: cwd, home }).map((path) => ({ path, isDeep: true })),
    ...files.map((file) => ({ path: dirname(resolve(cwd, file)), isDeep: false })),
  ];
}
