import { join } from "node:path";
import { systemClock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { createDelegate, type Delegate } from "../delegate/delegate.ts";
import { createFamilies } from "../delegate/families.ts";
import type { Activities } from "../engine/activities.ts";
import type { Engine } from "../engine/engine.ts";
import { createLocalEngine } from "../engine/local-engine.ts";
import type { ProgramDelegate } from "../engine/run-program.ts";
import { createModels, type ModelsConfig } from "../model/create-models.ts";
import type { Price } from "../model/model.ts";
import type { Shell, ShellOptions } from "../tool/shell.ts";
import type { Tool } from "../tool/tool.ts";
import type { CadreOptions } from "./cadre.ts";
import type { Catalog } from "./catalog.ts";
import { createModelResolver } from "./model-resolver.ts";
import type { Store } from "./store.ts";
import { createToolOffer } from "./tool-offer.ts";

/** What executes runs; made when the first one is asked for, since looking needs none of it. */
export interface Executive {
  engine: Engine;
  delegate: Delegate;
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
  store: Store;
  activities: Activities;
}

/** Puts registry, models, tools, engine and delegation together. */
export function createExecutive(given: ExecutiveOptions): Executive {
  const { options, place, catalog, folder, store } = given;
  const { config } = given.configuration;
  const { cwd: workspace, home, environment } = place;
  const limits = { ...config.limits, ...options.limits };
  const registry = store.open();
  const models = createModels({
    environment,
    config: toModelsConfig(config),
    folder: workspace,
  });
  const { resolve, resolveDefault } = createModelResolver(models, options.model);
  const machine = { home, environment, sandbox: { mode: config.sandbox } };
  const createTools = async (): Promise<readonly Tool[]> => {
    const { createBuiltinTools } = await import("../tool/builtin-tools.ts");
    return await createBuiltinTools({ workspace, ...machine });
  };
  const engine = createLocalEngine({
    registry,
    activities: given.activities,
    clock: systemClock,
    concurrency: limits.concurrency,
    resolveModel: resolve,
    offerTools: createToolOffer(() => delegate, createTools, catalog),
    loadProgram: (definition) => catalog.program(definition),
    delegate: createProgramDelegate(() => delegate),
    ask: options.onApproval,
    stream: options.stream ?? false,
    openShell: createShellOpener(machine),
    outputRoot: join(folder, "outputs"),
    limits,
  });
  const { mode, ...rules } = config.permissions;
  const delegate = createDelegate({
    engine,
    registry,
    families: createFamilies(registry),
    limits,
    delegation: config.delegation,
    clock: systemClock,
    agents: async () => (await catalog.discover()).agents,
    problemsOf: (name) => catalog.problemsOf(name),
    resolveModel: resolve,
    resolveDefaultModel: resolveDefault,
    isTrusted: place.isTrusted,
    policy: { mode, rules },
    workspace,
  });
  return {
    engine,
    delegate,
    async close() {
      await engine.close();
      await models.close();
    },
  };
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
  const prices = Object.entries(models.prices).map(([id, price]): [string, Price] => [
    id,
    { cacheRead: price.input, cacheWrite: price.input, ...price },
  ]);
  const given = { ...models, prices: Object.fromEntries(prices) };
  return model === undefined ? given : { ...given, default: model };
}
