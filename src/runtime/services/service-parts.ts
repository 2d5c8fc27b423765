import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Clock, systemClock } from "../../clock.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import type { RecipeSource } from "../../delegate/request/recipe-assignment.ts";
import { createFamilies, type Families } from "../../delegate/family/families.ts";
import type { Activities } from "../../engine/live/activities.ts";
import { createModels, type Models } from "../../model/provider/create-models.ts";
import { createChangesOpener } from "../changes/open-changes.ts";
import { type AgentAccess, createAgentAccess } from "../catalog/agent-access.ts";
import type { CadreOptions } from "../cadre.ts";
import type { Registry } from "../../registry/registry.ts";
import type { RunChanges } from "../run-changes.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { OwnToolList } from "../own-tool/own-tool-list.ts";
import { createDefinitionChanges, type DefinitionChanges } from "./definition-changes.ts";
import { createLazyExtensions, type LazyExtensions } from "./lazy-extensions.ts";
import type { ModelObjects } from "./model-objects.ts";
import { createModelResolver, type ModelResolver, toModelsConfig } from "./model-resolver.ts";
import type { Hooks } from "../../engine/hook/hooks.ts";
import { createCommandHooks } from "../hook/command-hooks.ts";
import type { Store } from "./store.ts";
import { realPathOf } from "../../source/file/real-path.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** Options of {@link createServices}. */
export interface ServicesOptions {
  options: CadreOptions;
  project: {
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

/** The parts that engine and delegation share. */
export interface Parts {
  registry: Registry;
  families: Families;
  clock: Clock;
  limits: LoadedConfig["config"]["limits"];
  models: Models;
  resolveModel: ModelResolver["resolve"];
  resolveDefaultModel: ModelResolver["resolveDefault"];
  recipes: RecipeSource;
  access: AgentAccess;
  extensions: LazyExtensions;
  changes: DefinitionChanges;
  /** The models that {@link ResumeOptions.models} named so far. */
  namedModels: Set<string>;
  /** Opens the changes that runs made in their own worktrees. */
  openChanges: () => Promise<RunChanges>;
  /** The folder of the registry. */
  stateFolder: string;
  hooks: readonly Hooks[];
}

/** Creates the parts of one Cadre. */
export function createParts(given: ServicesOptions): Parts {
  const { options, project, configuration, folder, store, catalog } = given;
  const { config } = configuration;
  const { cwd: workspace, home, environment, isTrusted } = project;
  const modelsConfig = toModelsConfig(configuration);
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
    search: { cwd: workspace, home, environment },
    ...omitUndefined({ askParameter: options.onParameter }),
  };
  const registry = store.open();
  // Earlier versions stored extension configurations there, with secrets.
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
    namedModels: new Set(),
    changes: createDefinitionChanges(project),
    openChanges: createChangesOpener(registry, given),
    stateFolder: folder,
    hooks: createHooks(given),
  };
}

/** Returns the program's hooks, then those of the configuration. */
function createHooks({ options, project, configuration }: ServicesOptions): readonly Hooks[] {
  const { hooks: commands } = configuration.config;
  const given = options.hooks ?? [];
  return Object.keys(commands).length === 0
    ? given
    : [...given, createCommandHooks(commands, "the hooks of the configuration", project)];
}
