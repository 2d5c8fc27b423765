import { realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { builtInFormats, createFormatTable } from "../../agent/find-format.ts";
import type { FormatTable } from "../../agent/format/agent-file-format.ts";
import type { CustomAgentFormat } from "../../agent/format/custom-format.ts";
import { type LoadedConfig, loadConfig } from "../../config/load-config.ts";
import { createTrust, type Trust } from "../../config/trust.ts";
import { type Activities, createActivities } from "../../engine/live/activities.ts";
import { CadreError } from "../../errors.ts";
import { readOverviews } from "../../registry/read-overviews.ts";
import { toRunOverviews } from "../../run/run-overview.ts";
import type { Diagnostic } from "../../source/diagnostic.ts";
import type { Cadre, CadreOptions } from "../cadre.ts";
import type { RunHandle } from "../run-handle.ts";
import { listDefinitions } from "../command/list-definitions.ts";
import { createCatalog } from "../catalog/catalog.ts";
import { cadreArguments } from "../option/cadre-arguments.ts";
import { checkArguments } from "../option/check-arguments.ts";
import { checkOptions } from "../option/check-options.ts";
import { readConfigOption } from "../option/read-config-option.ts";
import { readGiven } from "./given-in-code.ts";
import { createLazyServices, type LazyServices } from "../services/lazy-services.ts";
import { guardListener } from "./guard-listener.ts";
import { manageConversations } from "./manage-conversations.ts";
import { answerQuestions } from "./answer-questions.ts";
import { createManagement } from "./manage-runs.ts";
import { addControlNames } from "../../tool/control-file/control-names.ts";
import { commandFolder } from "../../tool/control-file/command-folder.ts";
import { undoLeftChanges } from "../../tool/control-file/guard-command.ts";
import type { UndoneChange } from "../../tool/control-file/undo-changes.ts";
import { createAgentHandle } from "./agent-handle.ts";
import { createStarts } from "./create-starts.ts";
import { createRunHandle, type RunHandleOptions } from "./run-handle.ts";
import type { ServicesOptions } from "../services/service-parts.ts";
import { findHiddenFolders } from "../state/hidden-folders.ts";
import { moveOldState } from "../state/move-old-state.ts";
import { hideFolders } from "../../tool/path/secret-path.ts";
import { selectDescendants } from "../../run/select-descendants.ts";
import { followRegistry } from "../tools/follow.ts";
import { createLazySearch } from "../search/lazy-search.ts";
import { createStore, findRun, type Store } from "../services/store.ts";
import { nameGivenModels } from "../../model/given-models.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** Implements `createCadre`, which loads this module. */
export async function buildCadre(options: CadreOptions): Promise<Cadre> {
  checkOptions(options);
  const { project, trust } = openProject(options);
  const { ownTools, agents, modelObjects, addLater } = await readGiven(options);
  const configuration = await configure(options, { ...project, ownTools: ownTools.names() }, trust);
  const { stateDir: folder } = configuration.config;
  const hiddenFolders = findHiddenFolders(project, folder);
  hideFolders(hiddenFolders);
  const store = await createProjectStore(options, configuration, project.home);
  const catalog = createCatalog(agents, {
    ...project,
    files: options.agentFiles ?? [],
    formats: await addFormats(options.formats ?? []),
    ownTools: ownTools.names,
  });
  const activities = createActivities();
  const services = createLazyServices({
    options,
    project,
    configuration,
    catalog,
    ownTools,
    modelObjects,
    folder,
    hiddenFolders,
    store,
    activities,
  });
  const { handle, reads, spawn, run, closeSearch } = createHandles(services, {
    store,
    activities,
    folder,
  });
  const close = createClose(store, services, closeSearch);

  const cadre: Cadre = {
    configuration,
    stateFolder: folder,
    ...listDefinitions({ catalog, project }),
    ...reads,
    spawn,
    run,
    agent: (name) => createAgentHandle(name, { catalog, spawn, run }),
    resolveModel: async (reference) =>
      await (await services.getToExecute()).resolveModel(reference),
    ...createFileStarts(services, handle, project.cwd),
    ...createManagement({ store, services, folder, handle, project, configuration }),
    ...manageConversations(store, folder),
    ...answerQuestions(store),
    ...createSubscriptions(store, activities),
    tools: async () => await createTools(services),
    ...addLater(catalog),
    watchAgents: async (onChange) => await catalog.watch(guardListener(onChange, "watchAgents")),
    close,
    [Symbol.asyncDispose]: async () => await close(),
  };
  return checkArguments("cadre", cadre, cadreArguments);
}

/** The starts of what a file describes. */
function createFileStarts(
  services: LazyServices,
  handle: (id: string) => RunHandle,
  cwd: string,
): Pick<Cadre, "spawnPipeline" | "spawnGraph"> {
  return {
    async spawnPipeline(path, request = {}) {
      const { startPipeline } = await services.getToExecute();
      return handle(await startPipeline(resolve(cwd, path), request));
    },
    async spawnGraph(path, request = {}) {
      const { startGraph } = await services.getToExecute();
      return handle(await startGraph(resolve(cwd, path), request));
    },
  };
}

/** Returns the project of a Cadre, and the folders that its user trusts. */
function openProject(options: CadreOptions): { project: ServicesOptions["project"]; trust: Trust } {
  // The machine's home is not resolved: without a home it is empty, which must not become this folder.
  const home = options.home === undefined ? homedir() : resolve(options.home);
  const environment = options.environment ?? process.env;
  const cwd = realFolder(options.cwd ?? process.cwd());
  const trust = createTrust({ home, environment });
  const isTrusted = (path: string): boolean => options.trust === true || trust.isTrusted(path);
  return { project: { cwd, home, environment, isTrusted }, trust };
}

function createSubscriptions(
  store: Store,
  activities: Activities,
): Pick<Cadre, "onEvent" | "onActivity"> {
  return {
    onEvent: (listener) => store.subscribe(guardListener(listener, "onEvent")),
    onActivity: (listener) => activities.subscribe(guardListener(listener, "onActivity")),
  };
}

/** Creates the store of the given or configured registry, or else of a file in the state folder. */
async function createProjectStore(
  { registry: given }: Pick<CadreOptions, "registry">,
  { config: { stateDir: folder, registry } }: LoadedConfig,
  home: string,
): Promise<Store> {
  if (given !== undefined && typeof given !== "string") {
    return createStore({ folder, home, registry: given });
  }
  if (registry.url === undefined) return createStore({ folder, home });
  const { configuredSource } = await import("../state/configured-source.ts");
  return createStore({ folder, home, registry: await configuredSource({ registry }) });
}

/** Creates `Cadre.close`. */
function createClose(
  store: Store,
  services: LazyServices,
  closeSearch: () => Promise<void>,
): Cadre["close"] {
  return async ({ leaveRuns = false } = {}) => {
    await closeSearch();
    // Ends after this point are not recorded: to the registry, the process simply disappears.
    if (leaveRuns) await store.close();
    await services.close();
    await store.close();
  };
}

/** Adds formats to Cadre's own. Their folders contain definitions, so agents must not write there without asking. */
async function addFormats(custom: readonly CustomAgentFormat[]): Promise<FormatTable> {
  if (custom.length === 0) return builtInFormats;
  const { guardFormat } = await import("../option/guard-format.ts");
  addControlNames(
    custom.flatMap(({ folders }) => folders.flatMap(({ path, userPath }) => [path, userPath])),
  );
  return createFormatTable([...builtInFormats.formats, ...custom.map(guardFormat)]);
}

/** Creates the delegate tools. Each call looks up the services, because a failed registry is replaced. */
async function createTools(services: LazyServices): ReturnType<Cadre["tools"]> {
  const { createDelegateTools } = await import("../tools/delegate-tools.ts");
  const { tools } = await services.getToExecute();
  const findDelegateServices = async () => (await services.getToExecute()).tools.services;
  return await createDelegateTools({ ...tools, findDelegateServices });
}

/** Loads the configuration, after undoing changes by killed commands and moving an old registry. */
async function configure(
  options: CadreOptions,
  project: Omit<Parameters<typeof loadConfig>[0], "flags">,
  trust: Trust,
): Promise<LoadedConfig> {
  // Files that a killed command left must not be read as configuration.
  const undone = await undoLeftChanges(commandFolder(project));
  const loaded = await loadConfig({
    ...project,
    flags: toFlags(options),
    given: readConfigOption(options),
  });
  // Trust for a single run must not move anything permanently.
  const findings = moveOldState(loaded, { ...project, isTrusted: trust.isTrusted });
  const diagnostics = [...loaded.diagnostics, ...undone.map(toDiagnostic), ...findings];
  return { ...loaded, diagnostics };
}

/** Creates the start of runs and the handles of runs, which start their continuations. */
function createHandles(
  services: LazyServices,
  handleOptions: Omit<RunHandleOptions, "continueRun" | "engine"> & { store: Store },
): ReturnType<typeof createLooking> & Pick<Cadre, "spawn" | "run"> {
  const options: RunHandleOptions & { store: Store } = {
    ...handleOptions,
    engine: async () => (await services.get()).engine,
    continueRun: (id, request) => starts.continueRun(id, request),
  };
  const starts = createStarts(services, options);
  const { spawn, run } = starts;
  return { ...createLooking(options), spawn, run };
}

/** Creates the part of Cadre that reads runs, whichever process executes them. */
function createLooking(options: RunHandleOptions & { store: Store }): {
  handle: (id: string) => RunHandle;
  reads: Pick<Cadre, "find" | "runs" | "usage" | "tree" | "events" | "position" | "search">;
  closeSearch: () => Promise<void>;
} {
  const { store } = options;
  const { search, closeSearch } = createLazySearch(store, options.folder);
  const handle = (id: string): RunHandle => createRunHandle(id, options);
  const reads: ReturnType<typeof createLooking>["reads"] = {
    find: async (id) => handle((await findRun(store.openExisting(), id)).id),
    async runs(filter) {
      const registry = store.openExisting();
      return registry === undefined
        ? []
        : await readOverviews(registry, await registry.runs(filter));
    },
    usage: async (request) => (await store.openExisting()?.usage(request)) ?? [],
    async tree(id) {
      const run = await findRun(store.openExisting(), id);
      return toRunOverviews([
        run,
        ...selectDescendants(run.id, await store.open().family(run.rootId)),
      ]);
    },
    search,
    position: async () => await store.open().lastPosition(),
    events: (how = {}) => followRegistry(store.open(), how),
  };
  return { handle, reads, closeSearch };
}

/** Resolves symlinks, so that confinement compares real paths. */
function realFolder(path: string): string {
  const stats = statSync(resolve(path), { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) return realpathSync(resolve(path));
  const came = stats === undefined ? "which does not exist" : "which is not a folder";
  throw new CadreError("invalid-argument", `Expected a folder to work in; got ${path}, ${came}.`);
}

function toDiagnostic({ path, movedTo }: UndoneChange): Diagnostic {
  const where = movedTo === null ? "" : ` The written content is in ${movedTo}.`;
  const message = `A command whose Cadre was killed changed this control file; the change was undone.${where}`;
  const position = {
    path,
    line: 1,
    column: 1,
    severity: "warning",
    code: "change-undone",
  } as const;
  return { ...position, message, fix: "Look at it, and write it yourself if you want it." };
}

function toFlags(options: CadreOptions): Parameters<typeof loadConfig>[0]["flags"] {
  const { model, fallbacks, mode, sandbox, registry, instructions } = options;
  return {
    ...(typeof model === "string" && { model }),
    ...(typeof registry === "string" && { stateDir: registry }),
    ...nameGivenModels({ fallbacks }),
    ...omitUndefined({ mode, sandbox, instructions }),
  };
}
