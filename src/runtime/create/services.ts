import { realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../clock.ts";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import { userStateFolder } from "../../config/state-folder.ts";
import { readUserKey } from "../../config/user-key.ts";
import { effectivePolicy } from "../../delegate/delegation-policy.ts";
import { originOf } from "../../delegate/assignment.ts";
import type { RecipeSource } from "../../delegate/request/recipe-assignment.ts";
import {
  createDelegate,
  type Delegate,
  type DelegateOptions,
} from "../../delegate/start/delegate.ts";
import { createFamilies } from "../../delegate/family/families.ts";
import { type GraphRequest, startGraph } from "../../delegate/graph/start-graph.ts";
import type { Tracing } from "../../engine/run-context/tracing.ts";
import type { Activities } from "../../engine/run-context/activities.ts";
import type { Engine } from "../../engine/engine.ts";
import { createApprovalSeal } from "../../engine/run-context/approval-seal.ts";
import { createLocalEngine } from "../../engine/life/local-engine.ts";
import type { ProgramDelegate } from "../../engine/program/program-context.ts";
import { createModels } from "../../model/provider/create-models.ts";
import type { BuiltinToolOptions } from "../../tool/builtin/builtin-tools.ts";
import type { Shell, ShellOptions } from "../../tool/builtin/shell.ts";
import { findMemory } from "../../tool/memory/agent-memory.ts";
import type { Tool } from "../../tool/tool.ts";
import { createContinuationAdmission } from "../admission/admit-continuation.ts";
import { createRunAdmission } from "../admission/admit-run.ts";
import { createAgentAccess } from "../catalog/agent-access.ts";
import type { CadreOptions } from "../cadre.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { offerOwnTools } from "../own-tool/offer-own-tools.ts";
import type { OwnToolList } from "../own-tool/own-tool-list.ts";
import type { DelegateToolsOptions, DelegateToolsPlace } from "../tools/delegate-tools.ts";
import { createDefinitionChanges } from "./definition-changes.ts";
import { createInstructionReader } from "./instruction-reader.ts";
import { createLazyExtensions } from "./lazy-extensions.ts";
import type { ModelObjects } from "./model-objects.ts";
import { createAdmissionPlace, createHasModel, grants } from "./create-admission-place.ts";
import { createModelResolver, toModelsConfig } from "./model-resolver.ts";
import type { Hooks } from "../../engine/hook/hooks.ts";
import { createAgentHooks } from "../hook/agent-hooks.ts";
import { createCommandHooks } from "../hook/command-hooks.ts";
import { createProgramLoader } from "../catalog/program-loader.ts";
import { createRootScope } from "../tools/root-scope.ts";
import {
  type ContinueRun,
  createContinueRun,
  createStartRun,
  type StartRun,
} from "../request/resolve-request.ts";
import { createRunnerPlace } from "./runner-place.ts";
import type { Store } from "./store.ts";
import { createAvailableTools, type AvailableToolsOptions } from "../catalog/available-tools.ts";
import { createChosenEngine, findEngine } from "./choose-engine.ts";
import { describeDispatch } from "./describe-dispatch.ts";
import { realPathOf } from "../../source/file/real-path.ts";
import { openTelemetry } from "../../telemetry/open-telemetry.ts";
import type { Telemetry } from "../../telemetry/create-telemetry.ts";
import { readVersion } from "../../version.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { readQueueRequest } from "../../run/queue/queue-request.ts";

/** The services that execute runs, created for the first run. */
export interface Services {
  engine: Engine;
  /** Whether another process executes the runs that start here. */
  submits: boolean;
  /** Starts a run for a caller of the library. */
  start: StartRun;
  /** Continues a run for a caller of the library. */
  continueRun: ContinueRun;
  /** The services behind the delegate tools outside of runs. */
  tools: Omit<DelegateToolsOptions, "findPlace"> & { place: DelegateToolsPlace };
  /** See `Cadre.spawnGraph`. */
  startGraph: (path: string, request: GraphRequest) => Promise<string>;
  close(): Promise<void>;
}

/** Options of {@link createServices}. */
export interface ServicesOptions {
  options: CadreOptions;
  place: {
    cwd: string;
    home: string;
    environment: Readonly<Record<string, string | undefined>>;
    isTrusted: (path: string) => boolean;
  };
  configuration: LoadedConfig;
  catalog: Catalog;
  ownTools: OwnToolList;
  modelObjects: ModelObjects;
  /** The folder of the registry. */
  folder: string;
  /** The folders hidden from tools and commands; absolute, symlinks resolved. */
  hiddenFolders: readonly string[];
  store: Store;
  activities: Activities;
}

/**
 * Assembles registry, models, tools, engine and delegation.
 *
 * @throws CadreError `config-invalid` when the option `engine` makes no engine, and what it throws.
 */
export async function createServices(given: ServicesOptions): Promise<Services> {
  const telemetry = await startTelemetry(given);
  const parts = createParts(given);
  if (telemetry !== undefined) parts.registry.subscribe(telemetry.listener);
  const chosen = await findEngine(given.options, given.configuration.config.engine);
  const local = createEngine(
    given,
    parts,
    { delegate: () => delegate, engine: () => engine, executes: chosen.executes },
    telemetry?.tracing,
  );
  const engine = await createChosenEngine(chosen, {
    local,
    registry: parts.registry,
    dispatch: describeDispatch(given),
  });
  const delegate = createDelegate({ ...delegateOptions(given, parts), engine });
  const { resolveModel, limits } = parts;
  const { registry, recipes, clock } = parts;
  const { catalog, place } = given;
  const scope = createRootScope({ delegate: delegate.outside, engine, registry });
  const tools = {
    place: { delegate: delegate.outside, engine, scope },
    catalog,
    recipes,
    clock,
    workspace: place.cwd,
  };
  return {
    engine,
    submits: chosen.create?.executes === false,
    start: createStartRun(parts.access, delegate, catalog.ownTools),
    continueRun: createContinueRun(delegate),
    tools,
    async startGraph(path, { queue, ...request }) {
      const start = { delegate, agents: parts.access, resolveModel, familyRuns: limits.familyRuns };
      const asked = queue === undefined ? {} : { queue: readQueueRequest(queue) };
      return await startGraph(start, path, { ...request, ...asked });
    },
    async close() {
      await engine.close();
      await parts.extensions.close();
      await telemetry?.close();
      await parts.models.close();
    },
  };
}

async function startTelemetry({ options, place }: ServicesOptions): Promise<Telemetry | undefined> {
  const { telemetry } = options;
  if (telemetry === undefined) return undefined;
  const { environment } = place;
  return await openTelemetry(telemetry, {
    clock: systemClock,
    environment,
    version: readVersion(),
  });
}

/** Shared by engine and delegation. */
function createParts(given: ServicesOptions) {
  const { options, place, configuration, folder, store, catalog } = given;
  const { config } = configuration;
  const { cwd: workspace, home, environment, isTrusted } = place;
  const modelsConfig = toModelsConfig(config);
  const { providers = {} } = options;
  const models = createModels({
    environment,
    config: modelsConfig,
    providers,
    folder: workspace,
    stateFolder: realPathOf(folder),
  });
  const { resolve, resolveDefault } = createModelResolver(
    models,
    modelsConfig,
    options,
    given.modelObjects,
  );
  const recipes: RecipeSource = {
    place: { cwd: workspace, home, environment },
    ...omitUndefined({ askParameter: options.onParameter }),
  };
  const registry = store.open();
  // Earlier versions stored configurations of extensions there, with secrets.
  rmSync(join(folder, "extensions"), { recursive: true, force: true });
  return {
    registry,
    families: createFamilies(registry),
    clock: options.clock ?? systemClock,
    limits: { ...config.limits, ...options.limits },
    models,
    resolveModel: resolve,
    resolveDefaultModel: resolveDefault,
    recipes,
    access: createAgentAccess({ catalog, recipes, isTrusted, resolveModel: resolve }),
    extensions: createLazyExtensions({
      environment,
      workspace,
      onElicit: options.onElicit,
    }),
    changes: createDefinitionChanges(place),
    stateFolder: folder,
    hooks: createHooks(given),
  };
}

/** The hooks of the program, then those of the configuration. */
function createHooks({ options, place, configuration }: ServicesOptions): readonly Hooks[] {
  const { hooks: commands } = configuration.config;
  const given = options.hooks ?? [];
  return Object.keys(commands).length === 0
    ? given
    : [...given, createCommandHooks(commands, "the hooks of the configuration", place)];
}

type Parts = ReturnType<typeof createParts>;

function createEngine(
  given: ServicesOptions,
  parts: Parts,
  {
    executes,
    ...later
  }: Pick<AvailableToolsOptions, "delegate" | "engine"> & { executes: boolean },
  tracing: Tracing | undefined,
): Engine {
  const { options, place, configuration, catalog, folder, activities } = given;
  const { registry, families, clock, limits, resolveModel, recipes, extensions } = parts;
  const { access } = parts;
  const { cwd: workspace, home, environment } = place;
  const { sandbox } = configuration.config;
  const machine = { home, environment, sandbox, hiddenFolders: given.hiddenFolders };
  const createTools = async (): Promise<readonly Tool[]> =>
    await createAgentTools({ workspace, ...machine }, options);
  const shared = { registry, families, clock, catalog, recipes };
  const calls = { clock, delegate: later.delegate, onElicit: options.onElicit };
  const ownTools = offerOwnTools(given.ownTools, calls);
  const offer = { ...later, ...shared, createTools, ownTools };
  const services = {
    clock,
    resolveModel: async (reference: string, family?: string) =>
      await resolveModel(reference, undefined, family),
    resolveDefaultModel: parts.resolveDefaultModel,
    openShell: createShellOpener(machine),
    async findSkills() {
      const { findSkills } = await import("../../tool/skill/skill.ts");
      return await findSkills(workspace, home);
    },
    readInstructions: createInstructionReader(home, configuration.config.instructions),
    findMemory: (definition: AgentDefinition) =>
      findMemory(definition, { ...place, cwd: workspace }),
    outputRoot: join(folder, "outputs"),
    limits,
  };
  return createLocalEngine({
    registry,
    activities,
    tracing,
    concurrency: limits.concurrency,
    executes,
    ...services,
    // Resolves symlinks, since paths in it are compared with others.
    agentFolders: join(realpathSync(folder), "agents"),
    offerTools: createAvailableTools({ ...offer, extensions: extensions.get }),
    onFamilyIdle(family) {
      extensions.release(family);
      given.modelObjects.bind(family, []);
    },
    permitDefinition: parts.changes.permit,
    admit: createRunAdmission(createAdmissionPlace(given, parts)),
    prepareRunner: createRunnerPlace(place),
    loadProgram: createProgramLoader({ ...services, ...later, ...place, catalog, access }),
    delegate: createProgramDelegate(later.delegate),
    ask: options.onApproval,
    hooks: parts.hooks,
    hooksOf: (definition) => createAgentHooks(definition, place),
    seal: createApprovalSeal(() => readUserKey(userStateFolder(place))),
  });
}

/** Creates the tools that every agent can have, except those that delegate. */
async function createAgentTools(
  place: BuiltinToolOptions,
  { onElicit, readOpenText }: Pick<CadreOptions, "onElicit" | "readOpenText">,
): Promise<readonly Tool[]> {
  const { createBuiltinTools } = await import("../../tool/builtin/builtin-tools.ts");
  const { createAskUserTool } = await import("../../extension/elicitation/ask-user-tool.ts");
  const tools = await createBuiltinTools({
    ...place,
    ...omitUndefined({ readOpen: readOpenText }),
  });
  return [...tools, createAskUserTool(onElicit)];
}

function delegateOptions(given: ServicesOptions, parts: Parts): Omit<DelegateOptions, "engine"> {
  const { place, configuration, catalog } = given;
  return {
    ...parts,
    delegation: effectivePolicy(configuration.config.delegation),
    ...parts.access,
    ...grants(configuration),
    fallbacks: configuration.config.fallbacks,
    isGivenModel: createHasModel(given.modelObjects),
    bindModels: given.modelObjects.bind,
    isTrusted: place.isTrusted,
    openedAt: catalog.openedAt,
    ownTools: catalog.ownTools,
    findChanges: parts.changes.find,
    continuations: createContinuationAdmission(createAdmissionPlace(given, parts)),
    workspace: place.cwd,
  };
}

/** One shell for all checks, created for the first one. */
function createShellOpener(machine: ShellOptions): () => Promise<Shell> {
  let shell: Promise<Shell> | undefined;
  return () =>
    (shell ??= import("../../tool/builtin/shell.ts").then(({ createShell }) =>
      createShell(machine),
    ));
}

/** Creates the delegation of programs. */
function createProgramDelegate(delegate: () => Delegate): ProgramDelegate {
  return async (spec, stepKey, request) => await delegate().run(request, originOf(spec, stepKey));
}
