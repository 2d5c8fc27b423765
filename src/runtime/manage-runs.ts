import { rm } from "node:fs/promises";
import { join } from "node:path";
import { isRunId } from "../run/run-id.ts";
import type { Cadre, RunHandle } from "./cadre.ts";
import type { LazyExecutive } from "./lazy-executive.ts";
import { resumeRuns } from "./resume-runs.ts";
import { findRun, type Store } from "./store.ts";

/** The part of Cadre that does something with runs that are there already. */
export type Management = Pick<
  Cadre,
  "resume" | "resumable" | "fork" | "retry" | "prune" | "cache" | "idle"
>;

/** What {@link createManagement} needs. */
export interface ManagementOptions {
  store: Store;
  executive: LazyExecutive;
  /** The folder of the registry. */
  folder: string;
  handle: (id: string) => RunHandle;
}

/** See {@link Cadre}. */
export function createManagement(options: ManagementOptions): Management {
  const { store, executive, folder, handle } = options;
  return {
    async resume(id, how = {}) {
      return (await resumeRuns({ store, executive }, id, how)).map(handle);
    },
    resumable: async () => (await store.openExisting()?.abandoned()) ?? [],
    async fork(id, { at, task }) {
      const { id: runId } = await findRun(store.openExisting(), id);
      const { engine } = await executive.getToExecute();
      return handle(await engine.fork(runId, at, task));
    },
    async retry(id) {
      const { id: runId } = await findRun(store.openExisting(), id);
      const { engine } = await executive.getToExecute();
      return handle(await engine.retry(runId));
    },
    async prune(olderThanMs) {
      const registry = store.openExisting();
      if (registry === undefined) return { runs: 0, freedBytes: 0 };
      const { runIds: ids, freedBytes } = await registry.prune(Date.now() - olderThanMs);
      // Earlier versions kept configurations of extensions there, with their secrets.
      await rm(join(folder, "extensions"), { recursive: true, force: true });
      // An id of a journal from elsewhere may be a path to anything.
      for (const id of ids.filter(isRunId)) {
        await rm(join(folder, "outputs", id), { recursive: true, force: true });
      }
      return { runs: ids.length, freedBytes };
    },
    cache: {
      list: async () => store.openExisting()?.cache.list() ?? [],
      clear: async () => store.openExisting()?.cache.clear() ?? 0,
    },
    idle: async () => await (await executive.get()).engine.idle(),
  };
}
