import type { AgentDefinition } from "../agent/agent.ts";
import { findMissingAgents, findMisspeltTask } from "../agent/missing/find-missing.ts";
import type { Clock } from "../clock.ts";
import type { Engine, SpawnRequest } from "../engine/engine.ts";
import type { Registry } from "../registry/registry.ts";
import type { Delegation } from "../run/delegation.ts";
import type { RunResult } from "../run/result.ts";
import { createRunId } from "../run/run-id.ts";
import { type ChangeSource, respectChanges } from "./changed-definition/respect-changes.ts";
import { checkDefinition } from "./check-definition.ts";
import { checkDelegation } from "./check-delegation.ts";
import { chooseExtensions, type ExtensionSource } from "./choose-extensions.ts";
import { chooseModel, type ModelSource } from "./choose-model.ts";
import type { Assignment, Origin } from "./delegation.ts";
import { checkPolicy, type DelegationPolicy } from "./delegation-policy.ts";
import { type Beginning, describeRun } from "./describe-run.ts";
import type { Families } from "./families.ts";
import type { Family } from "./family.ts";
import { storeImages } from "./images.ts";
import { checkLimits } from "./limits.ts";
import { placeRun } from "./place-run.ts";
import { findSequence } from "./recipe-sequence.ts";
import { type Neighbours, resolveContext } from "./resolve-context.ts";
import { type AssignmentSource, toAssignment } from "./to-assignment.ts";
import { createTurnstile } from "./turnstile.ts";

/** A request for a run by the name of its agent; a function that finds it is called when it is the request's turn. */
type Requested = Delegation | (() => Promise<Delegation | Assignment>);

/** Turns delegations into runs: the one way to a run, for every tool and every way in. */
export interface Delegate {
  /**
   * Creates the run that is asked for, or finds it again when `origin` asked before; resolves with its id. Requests of a
   * family take effect in the order they were made, so that one can name another by its label at once.
   *
   * @throws CadreError `agent-not-found`, `definition-invalid`, `delegation-denied`, `depth-exceeded`, `limit-exceeded`,
   * `dependency-not-found`, `dependency-cycle`, `model-unavailable`, `not-trusted` or `invalid-argument`.
   */
  start(delegation: Requested, origin?: Origin): Promise<string>;
  /** The same for an agent that is at hand, such as a recipe or one made up for the task. */
  assign(assignment: Assignment | (() => Promise<Assignment>), origin?: Origin): Promise<string>;
  /**
   * The same for requests that are no user's, such as those of the model behind an MCP client: code of definitions that changed
   * since Cadre was opened is asked about first.
   */
  outside: Pick<Delegate, "start" | "assign">;
  /** Resolves when every request that was made in a family so far is in the registry, or was refused. */
  settled(rootId: string): Promise<void>;
  /** Starts a run in the foreground and waits for its result. */
  run(delegation: Delegation, origin?: Origin): Promise<RunResult>;
}

/** What {@link createDelegate} needs. */
export interface DelegateOptions
  extends AssignmentSource, ModelSource, ExtensionSource, Beginning, ChangeSource {
  engine: Engine;
  registry: Registry;
  /** The folder of the registry; worktrees lie in it. */
  stateFolder: string;
  families: Families;
  delegation: DelegationPolicy;
  clock: Clock;
  /** When this Cadre first looked for definitions, in epoch milliseconds. */
  openedAt: () => number;
}

/** The delegate of one Cadre. */
export function createDelegate(options: DelegateOptions): Delegate {
  const { engine, families } = options;
  const turnstile = createTurnstile();
  /** The newest run without a parent of each label. */
  const labels = new Map<string, string>();

  async function create({ find, origin, definitionsAsOf }: Request): Promise<Created> {
    const before = origin && (await engine.reattach(origin.spec.id, origin.stepKey));
    if (before !== undefined) return { id: before };
    const assignment = await find();
    const family = origin && (await families.of(origin.spec.rootId));
    const request = await prepare(options, {
      assignment,
      origin,
      family,
      labels,
      definitionsAsOf,
    });
    if (family !== undefined) family.add(request);
    else if (request.label !== null) labels.set(request.label, request.id);
    return { id: request.id, spawned: spawn(request, family) };
  }

  async function spawn(request: SpawnRequest, family: Family | undefined): Promise<void> {
    try {
      await engine.spawn(request);
    } catch (error) {
      family?.remove(request.id);
      throw error;
    }
  }

  async function inTurn(request: Request): Promise<string> {
    const key = request.origin?.spec.rootId ?? "";
    const { id, spawned } = await turnstile.pass(key, () => create(request));
    // Outside the turnstile: what is asked for next can be written together with it.
    await spawned;
    return id;
  }

  const starts = createStarts(options, inTurn, options.clock.now);
  return {
    ...starts,
    outside: createStarts(options, inTurn, options.openedAt),
    async settled(rootId) {
      await turnstile.pass(rootId, () => Promise.resolve());
      await options.registry.flushed();
    },
    async run(delegation, origin) {
      return await engine.result(await starts.start({ ...delegation, background: false }, origin));
    },
  };
}

/** The ways to ask for a run. What a run without a parent knows of definitions is as of `now`. */
function createStarts(
  source: AssignmentSource,
  inTurn: (request: Request) => Promise<string>,
  now: () => number,
): Pick<Delegate, "start" | "assign"> {
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
  };
}

async function findAssignment(
  source: AssignmentSource,
  wanted: Requested,
  origin: Origin | undefined,
): Promise<Assignment> {
  const found = typeof wanted === "function" ? await wanted() : wanted;
  // Cadre's own code may have the agent at hand; data from outside names one.
  if (typeof wanted === "function" && "definition" in found) return checked(found);
  checkDelegation(found, "delegation");
  return await toAssignment(source, found as Delegation, origin);
}

function checked(assignment: Assignment): Assignment {
  checkDelegation(assignment, "assignment");
  return assignment;
}

/** A request for a run, when it is its turn. */
interface Request {
  find: () => Promise<Assignment>;
  origin: Origin | undefined;
  /** See `RunSpec.definitionsAsOf`. */
  definitionsAsOf: number;
}

/** A run that is there, or is being written. */
interface Created {
  id: string;
  spawned?: Promise<void>;
}

interface Wanted {
  assignment: Assignment;
  origin: Origin | undefined;
  family: Family | undefined;
  labels: ReadonlyMap<string, string>;
  definitionsAsOf: number;
}

/** The run that is asked for, after every check. */
async function prepare(options: DelegateOptions, wanted: Wanted): Promise<SpawnRequest> {
  const { origin, family, labels } = wanted;
  const { assignment: bounded, definitionsAsOf } = await respectChanges(options, wanted, origin);
  const { definition } = bounded;
  const parent = origin?.spec;
  checkDefinition(definition, options.isTrusted);
  if (origin !== undefined && family !== undefined) checkLimits(origin, family, options.limits);
  const assignment = await putInSequence(options, { ...wanted, assignment: bounded });
  const neighbours: Neighbours =
    parent !== undefined && family !== undefined
      ? { family, parent }
      : { registry: options.registry, labels };
  const context = await resolveContext(assignment, neighbours);
  const inherited = parent?.model ?? null;
  const chosen = await chooseModel(options, definition, assignment, inherited);
  if (parent !== undefined) checkPolicy(options.delegation, parent, chosen.model);
  const workspace = parent?.workspace ?? options.workspace;
  const images = await storeImages(options.registry, assignment.images ?? [], workspace);
  const { tools = definition.tools, ...extensions } = chooseExtensions(options, assignment, origin);
  const missing = await findMissing(options, definition);
  const id = createRunId(options.clock.now());
  const place = placeRun(definition, {
    id,
    from: workspace,
    stateFolder: options.stateFolder,
  });
  const found = {
    id,
    assignment: { ...assignment, definition: { ...definition, ...(tools && { tools }) } },
    origin,
    chosen,
    context,
    images,
    extensions,
    missing,
    place,
    definitionsAsOf,
  };
  return describeRun(options, found);
}

/** What the result says of names in the definition that lead nowhere; skills are looked for when the run begins. */
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
