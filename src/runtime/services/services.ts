// The services that execute runs, loaded on first use: engine, delegation and models.

import { createEngine } from "./create-engine.ts";
import { createParts, type Parts, type ServicesOptions } from "./service-parts.ts";
import { systemClock } from "../../clock.ts";
import { effectivePolicy } from "../../delegate/delegation-policy.ts";
import { createDelegate, type DelegateOptions } from "../../delegate/start/delegate.ts";
import { type GraphRequest, startGraph } from "../../delegate/graph/start-graph.ts";
import type { Engine } from "../../engine/engine.ts";
import { createContinuationAdmission } from "../admission/admit-continuation.ts";
import type { DelegateToolsOptions, DelegateServices } from "../tools/delegate-tools.ts";
import { createAdmissionContext, createHasModel, grants } from "./create-admission-context.ts";
import { createRootScope } from "../tools/root-scope.ts";
import {
  type ContinueRun,
  createContinueRun,
  createStartRun,
  type StartRun,
} from "../request/resolve-request.ts";
import { createStartPipeline, type StartPipeline } from "../pipeline/start-pipeline.ts";
import { createChosenEngine, findEngine } from "./choose-engine.ts";
import { describeDispatch } from "./describe-dispatch.ts";
import { openTelemetry } from "../../telemetry/open-telemetry.ts";
import type { Telemetry } from "../../telemetry/create-telemetry.ts";
import { readVersion } from "../../version.ts";
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
  /** The services behind the delegate tools outside runs. */
  tools: Omit<DelegateToolsOptions, "findDelegateServices"> & { services: DelegateServices };
  /** See `Cadre.spawnPipeline`. */
  startPipeline: StartPipeline;
  /** See `Cadre.spawnGraph`. */
  startGraph: (path: string, request: GraphRequest) => Promise<string>;
  /** See `Cadre.resolveModel`. */
  resolveModel: (reference: string | undefined) => Promise<string>;
  /** Lets continued runs use these models, as `ResumeOptions.models` says. */
  nameModels: (ids: readonly string[]) => void;
  close(): Promise<void>;
}

/**
 * Assembles registry, models, tools, engine and delegation.
 *
 * @throws CadreError `config-invalid` when the option `engine` returns no engine, and any error that it throws.
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
  const { catalog, project } = given;
  const scope = createRootScope({ delegate: delegate.outside, engine, registry });
  const tools = {
    services: { delegate: delegate.outside, engine, scope },
    catalog,
    recipes,
    clock,
    workspace: project.cwd,
  };
  return {
    engine,
    submits: chosen.create?.executes === false,
    start: createStartRun(parts.access, delegate, catalog.ownTools),
    continueRun: createContinueRun(delegate),
    tools,
    startPipeline: createStartPipeline(parts.access, delegate, project.cwd),
    async startGraph(path, { queue, ...request }) {
      const start = { delegate, agents: parts.access, resolveModel, familyRuns: limits.familyRuns };
      const asked = queue === undefined ? {} : { queue: readQueueRequest(queue) };
      return await startGraph(start, path, { ...request, ...asked });
    },
    async resolveModel(reference) {
      const { id } = await (reference === undefined
        ? parts.resolveDefaultModel()
        : resolveModel(reference));
      return id;
    },
    nameModels: (ids) => ids.forEach((id) => parts.namedModels.add(id)),
    async close() {
      await engine.close();
      await parts.extensions.close();
      await telemetry?.close();
      await parts.models.close();
    },
  };
}

async function startTelemetry({
  options,
  project,
}: ServicesOptions): Promise<Telemetry | undefined> {
  const { telemetry } = options;
  if (telemetry === undefined) return undefined;
  const { environment } = project;
  return await openTelemetry(telemetry, {
    clock: systemClock,
    environment,
    version: readVersion(),
  });
}

function delegateOptions(given: ServicesOptions, parts: Parts): Omit<DelegateOptions, "engine"> {
  const { project, configuration, catalog } = given;
  return {
    ...parts,
    delegation: effectivePolicy(configuration.config.delegation),
    ...parts.access,
    ...grants(configuration),
    fallbacks: configuration.config.fallbacks,
    isGivenModel: createHasModel(given.modelObjects),
    bindModels: given.modelObjects.bind,
    isTrusted: project.isTrusted,
    openedAt: catalog.openedAt,
    ownTools: catalog.ownTools,
    findChanges: parts.changes.find,
    continuations: createContinuationAdmission(createAdmissionContext(given, parts)),
    workspace: project.cwd,
  };
}
