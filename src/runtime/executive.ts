import { realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../clock.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { configuredExtensions, type Config } from "../config/config.ts";
import { userStateFolder } from "../config/state-folder.ts";
import { readUserKey } from "../config/user-key.ts";
import { effectivePolicy } from "../delegate/delegation-policy.ts";
import type { RecipeSource } from "../delegate/recipe-assignment.ts";
import { createDelegate, type Delegate, type DelegateOptions } from "../delegate/delegate.ts";
import { createFamilies } from "../delegate/families.ts";
import { type GraphRequest, startGraph } from "../delegate/graph/start-graph.ts";
import type { Activities } from "../engine/activities.ts";
import type { Engine } from "../engine/engine.ts";
import { createApprovalSeal } from "../engine/approval/approval-seal.ts";
import { createLocalEngine } from "../engine/local-engine.ts";
import type { ProgramDelegate } from "../engine/program-context.ts";
import { CadreError } from "../errors.ts";
import { createModels, type ModelsConfig } from "../model/create-models.ts";
import type { Model } from "../model/model.ts";
import { completePrice } from "../model/price.ts";
import type { Shell, ShellOptions } from "../tool/shell.ts";
import type { Tool } from "../tool/tool.ts";
import { createAdmission } from "./admission/admit-run.ts";
import { createAgentAccess } from "./agent-access.ts";
import type { CadreOptions } from "./cadre.ts";
import type { Catalog } from "./catalog.ts";
import type { DelegateToolsOptions, DelegateToolsPlace } from "./delegate-tools.ts";
import { createDefinitionChanges } from "./definition-change/definition-changes.ts";
import { createLazyExtensions } from "./lazy-extensions.ts";
import { createModelResolver } from "./model-resolver.ts";
import { createProgramLoader } from "./program-loader.ts";
import { createRootScope } from "./root-scope.ts";
import { createRunnerPlace } from "./runner-place.ts";
import type { Store } from "./store.ts";
import { createToolOffer, type ToolOfferOptions } from "./tool-offer.ts";

/** What executes runs; made when the first one is asked for, since looking needs none of it. */
export interface Executive {
  engine: Engine;
  delegate: Delegate;
  /** What the delegate tools for somebody outside of all runs are made of. */
  tools: Omit<DelegateToolsOptions, "findPlace"> & { place: DelegateToolsPlace };
  /** See `Cadre.spawnGraph`. */
  startGraph: (path: string, request: GraphRequest) => Promise<string>;
  close(): Promise<void>;
}

/** What {@link createExecutive} needs. */
export interface ExecutiveOptions {
  options: CadreOptions;
  place: {
    cwd: string;
    home: string;
    environment: Readonly<Record<string, string | undefined>>;
    isTrusted: (path: string) => boolean;
  };
  configuration: LoadedConfig;
  catalog: Catalog;
  /** The folder of the registry. */
  folder: string;
  /** What tools and commands do not read; absolute, symlinks resolved. */
  hiddenFolders: readonly string[];
  store: Store;
  activities: Activities;
}

/** Puts registry, models, tools, engine and delegation together. */
export function createExecutive(given: ExecutiveOptions): Executive {
  const parts = createParts(given);
  const engine: Engine = createEngine(given, parts, {
    delegate: () => delegate,
    engine: () => engine,
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
    delegate,
    tools,
    async startGraph(path, request) {
      const start = { delegate, agents: parts.access, resolveModel, familyRuns: limits.familyRuns };
      return await startGraph(start, path, request);
    },
    async close() {
      await engine.close();
      await parts.extensions.close();
      await parts.models.close();
    },
  };
}

/** What engine and delegation both need. */
function createParts(given: ExecutiveOptions) {
  const { options, place, configuration, folder, store, catalog } = given;
  const { config } = configuration;
  const { cwd: workspace, home, environment, isTrusted } = place;
  const modelsConfig = toModelsConfig(config);
  const models = createModels({ environment, config: modelsConfig, folder: workspace });
  const { resolve, resolveDefault } = createModelResolver(models, modelsConfig, options);
  const recipes: RecipeSource = {
    place: { cwd: workspace, home, environment },
    ...(options.onParameter !== undefined && { askParameter: options.onParameter }),
  };
  const registry = store.open();
  // Earlier versions kept configurations of extensions there, with their secrets.
  rmSync(join(folder, "extensions"), { recursive: true, force: true });
  return {
    registry,
    families: createFamilies(registry),
    clock: systemClock,
    limits: { ...config.limits, ...options.limits },
    models,
    resolveModel: resolve,
    resolveDefaultModel: resolveDefault,
    recipes,
    access: createAgentAccess({ catalog, recipes, isTrusted }),
    extensions: createLazyExtensions({
      environment,
      workspace,
      onElicit: options.onElicit,
    }),
    changes: createDefinitionChanges(place),
    stateFolder: folder,
  };
}

type Parts = ReturnType<typeof createParts>;

function createEngine(
  given: ExecutiveOptions,
  parts: Parts,
  later: Pick<ToolOfferOptions, "delegate" | "engine">,
): Engine {
  const { options, place, configuration, catalog, folder, activities } = given;
  const { registry, families, clock, limits, resolveModel, recipes, extensions, stateFolder } =
    parts;
  const { access } = parts;
  const { cwd: workspace, home, environment } = place;
  const { sandbox } = configuration.config;
  const machine = { home, environment, sandbox, hiddenFolders: given.hiddenFolders };
  const createTools = async (): Promise<readonly Tool[]> => {
    const { createBuiltinTools } = await import("../tool/builtin-tools.ts");
    return await createBuiltinTools({ workspace, ...machine });
  };
  const shared = { registry, families, clock, catalog, recipes };
  const admissionPlace = {
    ...place,
    ...grants(configuration),
    catalog,
    stateFolder,
    defaultModel: async () => await idOf(parts.resolveDefaultModel),
  };
  const offer = { ...later, ...shared, createTools };
  const services = {
    clock,
    resolveModel,
    resolveDefaultModel: parts.resolveDefaultModel,
    stream: options.stream ?? false,
    openShell: createShellOpener(machine),
    async findSkills() {
      const { findSkills } = await import("../tool/skill.ts");
      return await findSkills(workspace, home);
    },
    outputRoot: join(folder, "outputs"),
    limits,
  };
  return createLocalEngine({
    registry,
    activities,
    concurrency: limits.concurrency,
    ...services,
    // Symlinks resolved: what agents keep there is compared with other paths.
    agentFolders: join(realpathSync(folder), "agents"),
    offerTools: createToolOffer({ ...offer, extensions: extensions.get }),
    onFamilyIdle: extensions.release,
    permitDefinition: parts.changes.permit,
    admit: createAdmission(admissionPlace),
    prepareRunner: createRunnerPlace(place),
    loadProgram: createProgramLoader({ ...services, ...later, ...place, catalog, access }),
    delegate: createProgramDelegate(later.delegate),
    ask: options.onApproval,
    seal: createApprovalSeal(() => readUserKey(userStateFolder(place))),
  });
}

function delegateOptions(
  { place, configuration, catalog }: ExecutiveOptions,
  parts: Parts,
): Omit<DelegateOptions, "engine"> {
  return {
    ...parts,
    delegation: effectivePolicy(configuration.config.delegation),
    ...parts.access,
    ...grants(configuration),
    isTrusted: place.isTrusted,
    openedAt: catalog.openedAt,
    findChanges: parts.changes.find,
    workspace: place.cwd,
  };
}

/** What the configuration gives every run. */
function grants({ config }: LoadedConfig): Pick<DelegateOptions, "configured" | "policy"> {
  const { mode, ...rules } = config.permissions;
  return { configured: configuredExtensions(config), policy: { mode, rules } };
}

/** The id of a model, where there is one. */
async function idOf(resolveModel: () => Promise<Model>): Promise<string | undefined> {
  try {
    return (await resolveModel()).id;
  } catch (error) {
    if (error instanceof CadreError) return undefined;
    throw error;
  }
}

/** One shell for all checks, made when the first one is to be run. */
function createShellOpener(machine: ShellOptions): () => Promise<Shell> {
  let shell: Promise<Shell> | undefined;
  return () =>
    (shell ??= import("../tool/shell.ts").then(({ createShell }) => createShell(machine)));
}

/** What programs delegate with: their run gives its slot back while it waits. */
function createProgramDelegate(delegate: () => Delegate): ProgramDelegate {
  return async (session, stepKey, request) => {
    const { spec, slot, watchdog } = session;
    const origin = { spec, stepKey, toolNames: spec.parentTools };
    return await watchdog.trustWhile(slot.yieldWhile(delegate().run(request, origin)));
  };
}

function toModelsConfig({ model, models }: Config): ModelsConfig {
  const prices = Object.entries(models.prices).map(([id, price]) => [id, completePrice(price)]);
  const given: ModelsConfig = { ...models, prices: Object.fromEntries(prices) };
  return model === undefined ? given : { ...given, default: model };
}
