import type { Registry } from "../../registry/registry.ts";
import type { Cadre } from "../cadre.ts";
import type { RunSearcher } from "./create-search.ts";

/** Creates the search of a Cadre, which is loaded on use. `folder` is the registry's folder. */
export function createLazySearch(
  store: { openExisting: () => Registry | undefined },
  folder: string,
): Pick<Cadre, "search"> & { closeSearch: () => Promise<void> } {
  let loading: Promise<RunSearcher> | undefined;
  return {
    async search(request) {
      const registry = store.openExisting();
      if (registry === undefined) return { hits: [], next: null, isComplete: true };
      loading ??= import("./create-search.ts").then(({ createSearch }) => createSearch(folder));
      return await (await loading).search(registry, request);
    },
    closeSearch: async () => await (await loading)?.close(),
  };
}
