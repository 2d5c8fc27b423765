import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { LoadedConfig } from "../../config/load-config.ts";
import { type AutomationOptions, createAutomation } from "../automation/create-automation.ts";
import type { Cadre } from "../cadre.ts";
import type { RunHandle } from "../run-handle.ts";
import type { LazyServices } from "../services/lazy-services.ts";
import { readWaiting } from "../../registry/waiting-family.ts";
import { removeTraces } from "./remove-traces.ts";
import { findAbandoned } from "../../registry/find-abandoned.ts";
import { resumeRuns } from "./resume-runs.ts";
import { changesArguments } from "../option/cadre-arguments.ts";
import { checkArguments } from "../option/check-arguments.ts";
import { createChanges } from "../changes/create-changes.ts";
import { findRun, type Store } from "../services/store.ts";

/** The part of Cadre that acts on existing runs. */
export type Management = Pick<
  Cadre,
  | "resume"
  | "resumable"
  | "waiting"
  | "waitingFamilies"
  | "fork"
  | "retry"
  | "prune"
  | "cache"
  | "automation"
  | "changes"
  | "idle"
>;

/** Options of {@link createManagement}. */
export interface ManagementOptions {
  store: Store;
  services: LazyServices;
  /** The folder of the registry. */
  folder: string;
  handle: (id: string) => RunHandle;
  /** The project that Cadre was opened for. */
  project: AutomationOptions["project"] & { home: string };
  configuration: LoadedConfig;
}

/** See {@link Cadre}. */
export function createManagement(options: ManagementOptions): Management {
  const { store, services, folder, handle, project, configuration } = options;
  const { cwd, home } = project;
  return {
    async resume(id, how = {}) {
      return (await resumeRuns({ store, services }, id, how)).map(handle);
    },
    async resumable() {
      const registry = store.openExisting();
      return registry === undefined ? [] : await findAbandoned(registry);
    },
    async waiting(id) {
      const registry = store.openExisting();
      const { rootId } = await findRun(registry, id);
      if (registry?.work === undefined) return undefined;
      const [family] = await readWaiting(registry.work, rootId);
      return family;
    },
    async waitingFamilies() {
      const work = store.openExisting()?.work;
      return work === undefined ? [] : await readWaiting(work);
    },
    async fork(id, { at, task } = {}) {
      const { id: runId } = await findRun(store.openExisting(), id);
      const { engine } = await services.getToExecute();
      return handle(await engine.fork(runId, at, task));
    },
    async retry(id, raise) {
      const { id: runId } = await findRun(store.openExisting(), id);
      const { engine } = await services.getToExecute();
      return handle(await engine.retry(runId, raise));
    },
    async prune(olderThanMs) {
      const registry = store.openExisting();
      if (registry === undefined) return { runs: 0, freedBytes: 0, keptWorktrees: [] };
      const { runIds: ids, freedBytes } = await registry.prune(Date.now() - olderThanMs);
      // Earlier versions stored extension configurations there, with secrets.
      await rm(join(folder, "extensions"), { recursive: true, force: true });
      const keptWorktrees = await removeTraces(folder, ids);
      return { runs: ids.length, freedBytes, keptWorktrees };
    },
    automation: createAutomation(options),
    changes: checkArguments(
      "cadre.changes",
      createChanges({
        registry: store.open,
        findRun: async (id) => await findRun(store.openExisting(), id),
        cwd,
        home,
        stateFolder: folder,
        remote: configuration.config.worker.remote,
      }),
      changesArguments,
    ),
    cache: {
      list: async () => (await store.openExisting()?.cache.list()) ?? [],
      clear: async () => (await store.openExisting()?.cache.clear()) ?? 0,
    },
    idle: async () => await (await services.get()).engine.idle(),
  };
}
