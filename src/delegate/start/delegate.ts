// The start of runs: the only function that creates them.

import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { findMissingAgents, findMisspeltTask } from "../../agent/definition/find-missing.ts";
import type { Clock } from "../../clock.ts";
import type { Hooks } from "../../engine/hook/hooks.ts";
import type { Engine, SpawnRequest } from "../../engine/engine.ts";
import type { ModelObject } from "../../model/model-object.ts";
import { CadreError } from "../../errors.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Delegation } from "../../run/delegation.ts";
import { selectTools } from "../../engine/tool-call/select-tools.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { QueueRequest } from "../../run/queue/queue-request.ts";
import type { RecordedResult } from "../../run/result.ts";
import type { RunSpec } from "../../run/run.ts";
import { createRunId, isRunId } from "../../run/run-id.ts";
import { type ChangeSource, respectChanges } from "../settings/respect-changes.ts";
import { checkDefinition } from "../request/check-definition.ts";
import { checkAgentSettings } from "../request/agent-settings.ts";
import { checkDelegation } from "../request/check-delegation.ts";
import { chooseExtensions, type ExtensionSource } from "../settings/choose-extensions.ts";
import { chooseModel, type ModelSource } from "../settings/choose-model.ts";
import type { Assignment, Origin } from "../assignment.ts";
import { checkPolicy, type DelegationPolicy, withoutDenied } from "../delegation-policy.ts";
import { type RunOrigin, buildRunSpec } from "../settings/build-run-spec.ts";
import type { Families } from "../family/families.ts";
import type { Family } from "../family/family.ts";
import { storeImages } from "../request/images.ts";
import { checkLimits } from "../family/limits.ts";
import { chooseFolder, chooseWorkspace, evalFolder } from "../settings/choose-workspace.ts";
import {
  continuedContext,
  continuedWorkspace,
  keepToolLimit,
} from "../settings/continued-settings.ts";
import { findSequence } from "../family/recipe-sequence.ts";
import { type NameScope, resolveContext } from "../family/resolve-context.ts";
import {
  assignContinuation,
  type ContinuationSource,
  type ContinueDelegation,
} from "../request/assign-continuation.ts";
import { type AssignmentSource, toAssignment } from "../request/to-assignment.ts";
import { interceptDelegation } from "../request/intercept-delegation.ts";
import { createTurnSharing } from "./share-turns.ts";
import { createKeyedQueue, type KeyedQueue } from "../keyed-queue.ts";

/** A request for a run by the name of its agent. A function is called at the request's turn. */
type Requested = Delegation | (() => Promise<Delegation | Assignment>);

/** Turns delegations into runs. Every tool and every entry point uses it. */
export interface Delegate {
  /**
   * Creates the requested run, or finds the one that `origin` requested before. Resolves with its id. Requests of a family take
   * effect in order, so a request can refer to an earlier one by its label immediately.
   *
   * @throws CadreError `agent-not-found`, `definition-invalid`, `delegation-denied`, `depth-exceeded`, `limit-exceeded`,
   * `dependency-not-found`, `dependency-cycle`, `model-unavailable`, `not-trusted` or `invalid-argument`.
   */
  start(delegation: Requested, origin?: Origin): Promise<string>;
  /** Like `start`, for a resolved agent, such as a recipe or an ad hoc agent. */
  assign(assignment: Assignment | (() => Promise<Assignment>), origin?: Origin): Promise<string>;
  /**
   * Creates a run that continues the conversation of the ended run `runId`, or finds the one that `origin` requested before.
   *
   * @throws CadreError `run-not-found`, `invalid-argument` for a run that cannot be continued, and the errors of `start`.
   */
  continue(
    runId: string,
    request: ContinueDelegation,
    origin?: Origin,
    queue?: QueueRequest,
  ): Promise<string>;
  /**
   * The same functions for requests that do not come from the user, such as requests from the model behind an MCP client. Code of
   * definitions that changed since Cadre was opened needs confirmation first.
   */
  outside: Pick<Delegate, "start" | "assign" | "continue">;
  /** Resolves when every request of a family so far has been recorded or refused. */
  settled(rootId: string): Promise<void>;
  /** Starts a run in the foreground and waits for its result. */
  run(delegation: Delegation, origin?: Origin): Promise<RecordedResult>;
}

/** Options of {@link createDelegate}. */
export interface DelegateOptions
  extends ContinuationSource, ModelSource, ExtensionSource, RunOrigin, ChangeSource {
  engine: Engine;
  registry: Registry;
  /** The folder of the registry, which contains the worktrees. */
  stateFolder: string;
  families: Families;
  delegation: DelegationPolicy;
  /** Asked before each run is created. Default: none. */
  hooks?: readonly Hooks[] | undefined;
  clock: Clock;
  /** Binds the model objects in the request of a root run to its family; `[]` removes them. */
  bindModels: (family: string, models: readonly ModelObject[]) => void;
  /** When definitions were first read, in epoch milliseconds. */
  openedAt: () => number;
  /** The names of the tools of the program. */
  ownTools: () => readonly string[];
}

/** Creates the delegate of one Cadre. */
export function createDelegate(options: DelegateOptions): Delegate {
  const { engine, families } = options;
  const queue = createKeyedQueue();
  /** The newest root run of each label. */
  const labels = new Map<string, string>();

  async function create({ find, origin, definitionsAsOf }: Request): Promise<Created> {
    const before = origin && (await engine.reattach(origin.spec.id, origin.stepKey));
    if (before !== undefined) return { id: before };
    const assignment = await interceptDelegation(options.hooks, await find(), origin);
    const family = origin && (await families.of(origin.spec.rootId));
    const id = assignment.runId ?? createRunId(options.clock.now());
    if (assignment.runId !== undefined) await refuseUsedId(options.registry, id);
    const { modelObjects = [] } = assignment;
    if (modelObjects.length > 0) options.bindModels(id, modelObjects);
    const wanted = { id, assignment, origin, family, labels, definitionsAsOf };
    const request = await prepare(options, wanted).catch((error: unknown) => {
      options.bindModels(id, []);
      throw error;
    });
    if (family !== undefined) family.add(request);
    else if (request.label !== null) labels.set(request.label, request.id);
    return { id: request.id, spawned: spawn(request, family, assignment.queue) };
  }

  async function spawn(
    request: SpawnRequest,
    family: Family | undefined,
    asked: QueueRequest | undefined,
  ): Promise<string> {
    const { id, label } = request;
    try {
      const spawned = await engine.spawn(request, asked);
      if (spawned !== id) {
        // Another run with the same key.
        options.bindModels(id, []);
        if (label !== null && labels.get(label) === id) labels.set(label, spawned);
      }
      return spawned;
    } catch (error) {
      family?.remove(id);
      throw error;
    }
  }

  const inTurn = createInTurn(queue, create);
  const starts = createStarts(options, inTurn, options.clock.now);
  return {
    ...starts,
    outside: createStarts(options, inTurn, options.openedAt),
    async settled(rootId) {
      await queue.pass(rootId, () => Promise.resolve());
      await options.registry.flushed();
    },
    async run(delegation, origin) {
      const id = await starts.start({ ...delegation, background: false }, origin);
      return engine.result(id);
    },
  };
}

/** Returns the function that creates the runs of a family one after another. */
function createInTurn(
  queue: KeyedQueue,
  create: (request: Request) => Promise<Created>,
): (request: Request) => Promise<string> {
  const shareTurns = createTurnSharing();
  return async (request) => {
    const key = request.origin?.spec.rootId ?? "";
    const { id, spawned } = await queue.pass(key, async () => {
      await shareTurns();
      return await create(request);
    });
    // Wait outside the queue, so that the next request can be written in the same group.
    return spawned === undefined ? id : await spawned;
  };
}

/** @throws CadreError `invalid-argument` for an invalid id and for the id of an existing run. */
async function refuseUsedId(registry: Pick<Registry, "run">, id: string): Promise<void> {
  if (!isRunId(id)) {
    const message = `Expected a run id of two parts, each with 1 to 20 characters from a-z and 0-9, with a dash between them; got ${JSON.stringify(id)}.`;
    throw new CadreError("invalid-argument", message);
  }
  if ((await registry.run(id)) === undefined) return;
  throw new CadreError(
    "invalid-argument",
    `Expected an unused run id; the run ${id} already exists.`,
  );
}

/** The functions that request a run. A root run knows definitions as of `now`. */
function createStarts(
  source: ContinuationSource,
  inTurn: (request: Request) => Promise<string>,
  now: () => number,
): Pick<Delegate, "start" | "assign" | "continue"> {
  const asOf = (origin: Origin | undefined): number =>
    origin === undefined ? now() : (origin.spec.definitionsAsOf ?? 0);
  return {
    async start(delegation, origin) {
      const find = (): Promise<Assignment> => findAssignment(source, delegation, origin);
      return await inTurn({ find, origin, definitionsAsOf: asOf(origin) });
    },
    async assign(assignment, origin) {
      const find = async (): Promise<Assignment> =>
        checked(typeof assignment === "function" ? await assignment() : assignment);
      return await inTurn({ find, origin, definitionsAsOf: asOf(origin) });
    },
    async continue(runId, delegation, origin, asked) {
      const find = async (): Promise<Assignment> => ({
        ...checked(await assignContinuation(source, { runId, delegation, origin })),
        ...omitUndefined({ queue: asked }),
      });
      return await inTurn({ find, origin, definitionsAsOf: asOf(origin) });
    },
  };
}

async function findAssignment(
  source: AssignmentSource,
  wanted: Requested,
  origin: Origin | undefined,
): Promise<Assignment> {
  const found = typeof wanted === "function" ? await wanted() : wanted;
  // Cadre's own code may pass a resolved agent; outside data names one.
  if (typeof wanted === "function" && "definition" in found) return checked(found);
  checkDelegation(found, "delegation");
  return await toAssignment(source, found as Delegation, origin);
}

function checked(assignment: Assignment): Assignment {
  checkDelegation(assignment, "assignment");
  return assignment;
}

/** A request at its turn. */
interface Request {
  find: () => Promise<Assignment>;
  origin: Origin | undefined;
  /** See `RunSpec.definitionsAsOf`. */
  definitionsAsOf: number;
}

/** An existing run, or one that is being written. */
interface Created {
  id: string;
  /** Resolves with the run's id, or with the id of an existing run that has its key. */
  spawned?: Promise<string>;
}

interface Wanted {
  /** Of the new run. */
  id: string;
  assignment: Assignment;
  origin: Origin | undefined;
  family: Family | undefined;
  labels: ReadonlyMap<string, string>;
  definitionsAsOf: number;
}

/** Builds the requested run after every check. */
async function prepare(options: DelegateOptions, wanted: Wanted): Promise<SpawnRequest> {
  const { id, origin, family, labels } = wanted;
  const { assignment: bounded, definitionsAsOf } = await respectChanges(options, wanted, origin);
  const { definition } = bounded;
  const parent = origin?.spec;
  checkDefinition(definition, options.isTrusted);
  checkAgentSettings(bounded, options.ownTools());
  if (origin !== undefined && family !== undefined) checkLimits(origin, family, options.limits);
  const assignment = await putInSequence(options, { ...wanted, assignment: bounded });
  const neighbours: NameScope =
    parent !== undefined && family !== undefined
      ? { family, parent }
      : { registry: options.registry, labels };
  const context = continuedContext(assignment) ?? (await resolveContext(assignment, neighbours));
  const rootId = parent?.rootId ?? id;
  const found = await chooseModel(options, definition, assignment, { parent, family: rootId });
  const chosen = parent === undefined ? found : withoutDenied(options.delegation, found);
  if (parent !== undefined) checkPolicy(options.delegation, parent, chosen.model);
  const workspace =
    parent === undefined
      ? chooseFolder(options.workspace, assignment.cwd, [evalFolder(options.stateFolder)])
      : chooseFolder(parent.workspace, assignment.cwd);
  const images = await storeImages(options.registry, assignment.images ?? [], workspace);
  const all = chooseExtensions(options, assignment, origin);
  const { tools = definition.tools, ...extensions } = keepToolLimit(all, assignment, origin);
  const missing = await findMissing(options, definition);
  const { stateFolder } = options;
  const continued =
    continuedWorkspace(assignment) ??
    chooseWorkspace(definition, { id, from: workspace, stateFolder });
  // All runs of an agent share one object, so that it is stored and hashed once.
  const chosenDefinition =
    tools === definition.tools ? definition : { ...definition, ...(tools && { tools }) };
  const settings = {
    id,
    assignment: { ...assignment, definition: chosenDefinition },
    origin,
    chosen,
    context,
    images,
    extensions,
    ownTools: chooseOwnTools(options, chosenDefinition, extensions),
    missing,
    continued,
    definitionsAsOf,
  };
  return buildRunSpec(options, settings);
}

/** Returns the program's tools that a run may use. An agent in another program has none of them. */
function chooseOwnTools(
  { ownTools }: DelegateOptions,
  definition: AgentDefinition,
  parent: Pick<RunSpec, "parentTools">,
): string[] {
  if (definition.runner !== undefined) return [];
  const offered = ownTools().map((name) => ({ name }));
  return [...selectTools(offered, definition, parent).tools.keys()];
}

/** Returns warnings about unknown names in the definition. Skills are looked up when the run starts. */
async function findMissing(
  { agents }: AssignmentSource,
  definition: AgentDefinition,
): Promise<string[]> {
  const named = definition.agents ?? [];
  const known = named.length === 0 ? [] : (await agents()).map(({ name }) => name);
  const missing = [...findMissingAgents(definition, known), ...findMisspeltTask(definition)];
  return missing.map(({ message }) => message);
}

async function putInSequence(
  { registry }: DelegateOptions,
  { assignment, origin, family }: Wanted,
): Promise<Assignment> {
  if (origin === undefined || family === undefined) return assignment;
  const sequence = await findSequence(registry, assignment, { parent: origin.spec, family });
  return sequence === undefined ? assignment : { ...assignment, sequence };
}
