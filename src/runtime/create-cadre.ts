import { realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { type LoadedConfig, loadConfig } from "../config/load-config.ts";
import { createTrust, type Trust } from "../config/trust.ts";
import { createActivities } from "../engine/activities.ts";
import type { Engine } from "../engine/engine.ts";
import { CadreError } from "../errors.ts";
import { readOverviews } from "../registry/figures/read-overviews.ts";
import { toRunOverviews } from "../run/figures/run-overview.ts";
import type { Diagnostic } from "../source/diagnostic.ts";
import type { Cadre, CadreOptions, RunHandle } from "./cadre.ts";
import { createCatalog } from "./catalog.ts";
import { checkOptions } from "./option/check-options.ts";
import { createLazyExecutive, type LazyExecutive } from "./lazy-executive.ts";
import { guardListener } from "./listener/guard-listener.ts";
import { createManagement } from "./manage-runs.ts";
import { commandFolder } from "../tool/control-file/command-folder.ts";
import { undoLeftChanges } from "../tool/control-file/guard-command.ts";
import type { UndoneChange } from "../tool/control-file/undo-changes.ts";
import { createRunHandle } from "./run-handle.ts";
import { findHiddenFolders } from "./state/hidden-folders.ts";
import { moveOldState } from "./state/move-old-state.ts";
import { hideFolders } from "../tool/secret-path.ts";
import { selectBelow } from "./select-below.ts";
import { createStore, findRun, type Store } from "./store.ts";

/**
 * Opens Cadre for a project. Nothing is read but the configuration, and nothing is written before the first run, with two
 * exceptions: a registry that an earlier version kept in the project is moved, and what commands of a killed Cadre did to
 * control files is undone. `configuration.diagnostics` names both.
 *
 * @throws CadreError `config-invalid` for an option or a variable with a wrong value, `definition-invalid` for an agent
 * given in code, `invalid-argument` when `cwd` is not a folder.
 */
export async function createCadre(options: CadreOptions = {}): Promise<Cadre> {
  checkOptions(options);
  // Not resolved when it is the machine's: without a home it is no path at all, which must not become this folder.
  const home = options.home === undefined ? homedir() : resolve(options.home);
  const environment = options.environment ?? process.env;
  const cwd = realFolder(options.cwd ?? process.cwd());
  const trust = createTrust({ home, environment });
  const isTrusted = (path: string): boolean => options.trust === true || trust.isTrusted(path);
  const place = { cwd, home, environment, isTrusted };
  const configuration = await configure(options, place, trust);
  const { stateDir: folder } = configuration.config;
  const hiddenFolders = findHiddenFolders({ home, environment }, folder);
  hideFolders(hiddenFolders);
  const store = createStore(folder, home);
  const catalog = createCatalog(options.agents ?? [], {
    ...place,
    files: options.agentFiles ?? [],
  });
  const activities = createActivities();
  const executive = createLazyExecutive({
    options,
    place,
    configuration,
    catalog,
    folder,
    hiddenFolders,
    store,
    activities,
  });
  const looking = createLooking(store, async () => (await executive.get()).engine);

  return {
    configuration,
    stateFolder: folder,
    agents: () => catalog.discover(),
    find: looking.find,
    runs: looking.runs,
    tree: looking.tree,
    async spawn(request) {
      const { delegate } = await executive.getToExecute();
      return looking.handle(await delegate.start(request));
    },
    async spawnGraph(path, request = {}) {
      const { startGraph } = await executive.getToExecute();
      return looking.handle(await startGraph(resolve(cwd, path), request));
    },
    ...createManagement({ store, executive, folder, handle: looking.handle }),
    onEvent: (listener) => store.subscribe(guardListener(listener, "onEvent")),
    onActivity: (listener) => activities.subscribe(guardListener(listener, "onActivity")),
    tools: async () => await createTools(executive),
    watchAgents: async (onChange) => await catalog.watch(guardListener(onChange, "watchAgents")),
    async close({ leaveRuns = false } = {}) {
      // What ends now cannot be recorded any more, so that to the registry the process is just gone.
      if (leaveRuns) await store.close();
      await executive.close();
      await store.close();
    },
  };
}

/** The delegate tools. Each call finds anew what executes it, since a registry that failed is replaced. */
async function createTools(executive: LazyExecutive): ReturnType<Cadre["tools"]> {
  const { createDelegateTools } = await import("./delegate-tools.ts");
  const { tools } = await executive.getToExecute();
  const findPlace = async () => (await executive.getToExecute()).tools.place;
  return await createDelegateTools({ ...tools, findPlace });
}

/** Loads the configuration, after what must not be taken for a part of it was undone, and moves an old registry. */
async function configure(
  options: CadreOptions,
  place: Omit<Parameters<typeof loadConfig>[0], "flags">,
  trust: Trust,
): Promise<LoadedConfig> {
  // What a killed command left must not be read as configuration.
  const undone = await undoLeftChanges(commandFolder(place));
  const loaded = await loadConfig({ ...place, flags: toFlags(options) });
  // What is trusted for this time only moves nothing for good.
  const findings = moveOldState(loaded, { ...place, isTrusted: trust.isTrusted });
  const diagnostics = [...loaded.diagnostics, ...undone.map(toDiagnostic), ...findings];
  return { ...loaded, diagnostics };
}

/** The part of Cadre that looks at runs, whoever executes them. */
function createLooking(
  store: Store,
  engine: () => Promise<Engine>,
): Pick<Cadre, "find" | "runs" | "tree"> & { handle: (id: string) => RunHandle } {
  const handle = (id: string): RunHandle => createRunHandle(id, store, engine);
  return {
    handle,
    find: async (id) => handle((await findRun(store.openExisting(), id)).id),
    async runs(filter) {
      const registry = store.openExisting();
      return registry === undefined
        ? []
        : await readOverviews(registry, await registry.runs(filter));
    },
    async tree(id) {
      const run = await findRun(store.openExisting(), id);
      return toRunOverviews(selectBelow(run, await store.open().family(run.rootId)));
    },
  };
}

/** Symlinks resolved, so that confinement compares like with like. */
function realFolder(path: string): string {
  const stats = statSync(resolve(path), { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) return realpathSync(resolve(path));
  const came = stats === undefined ? "which does not exist" : "which is no folder";
  throw new CadreError("invalid-argument", `Expected a folder to work in; got ${path}, ${came}.`);
}

function toDiagnostic({ path, movedTo }: UndoneChange): Diagnostic {
  const where = movedTo === null ? "" : ` What was written is in ${movedTo}.`;
  const message = `A command whose Cadre was killed changed this control file; that was undone.${where}`;
  const place = { path, line: 1, column: 1, severity: "warning", code: "change-undone" } as const;
  return { ...place, message, fix: "Look at it, and write it yourself if you want it." };
}

function toFlags(options: CadreOptions): Parameters<typeof loadConfig>[0]["flags"] {
  const { model, mode, sandbox, registry } = options;
  return {
    ...(typeof model === "string" && { model }),
    ...(mode !== undefined && { mode }),
    ...(sandbox !== undefined && { sandbox }),
    ...(registry !== undefined && { stateDir: registry }),
  };
}
