import type { AgentDefinition } from "../../agent/definition/agent.ts";
import type { Engine } from "../../engine/engine.ts";
import { CadreError } from "../../errors.ts";
import { findLatestTurn } from "../../registry/find-latest-turn.ts";
import { readOverview } from "../../registry/read-overviews.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Delegation } from "../../run/delegation.ts";
import { selectDescendants } from "../../run/select-descendants.ts";
import type { Run } from "../../run/run.ts";
import type { RunOverview } from "../../run/run-overview.ts";
import { shortRunId } from "../../short-run-id.ts";
import type { ToolContext } from "../../tool/tool.ts";
import type { Delegate } from "../start/delegate.ts";
import { findFamilyRun } from "../family/dependencies.ts";
import { findNamed, readEarlierDescendants } from "../family/earlier-runs.ts";
import type { Families } from "../family/families.ts";
import type { Family } from "../family/family.ts";
import { findPending } from "../family/pending-results.ts";

/** A background run to start. Without an agent it uses the caller's definition. */
export type SessionRequest = Omit<Delegation, "agent" | "task" | "parameters"> & {
  agent?: string;
  task: string;
};

/** The runs that a caller of the session tools started, with their descendants. */
export interface SessionScope {
  /**
   * Starts a background run. `index` distinguishes the runs of one call. `find` is called at the request's turn, in order of the
   * calls.
   */
  start(find: () => Promise<SessionRequest>, index: number): Promise<string>;
  /**
   * Finds one of the caller's runs by id or label, and returns the latest turn of that run's conversation.
   *
   * @throws CadreError `run-not-found` with a list of the known runs.
   */
  find(name: string): Promise<Run>;
  /** Returns the state of a run. */
  run(runId: string): Promise<RunOverview>;
  /** Resolves when a run has ended; rejects when `signal` aborts. */
  endOf(runId: string, signal: AbortSignal): Promise<void>;
  /** Returns all the caller's runs, in order of creation. */
  runs(): Promise<Run[]>;
  /** Returns the background runs whose results the caller has not received. */
  pending(): Promise<Run[]>;
  /** Marks results as received. */
  collect(runIds: readonly string[]): void;
  /** Sends a message to a run. An ended run continues with the message in the background. A repeated step sends nothing twice. */
  send(runId: string, text: string): Promise<Sent>;
  /** See `Engine.cancel`. */
  cancel(runId: string, reason: string): Promise<boolean>;
}

/** A message that a run will read, or the run that continues with the message. */
export type Sent = { messageId: string } | { continuedAs: string };

/** The services behind the session tools. */
export interface SessionPort {
  delegate: Delegate;
  engine: Pick<Engine, "result" | "cancel" | "send" | "collect" | "isExecuting">;
  registry: Registry;
  families: Families;
}

/** Creates the scope of a run that calls a session tool: its descendants. */
export function createFamilyScope(port: SessionPort, context: ToolContext): SessionScope {
  const { delegate, engine, registry, families } = port;
  const { caller, stepKey } = context;
  const { spec } = caller;
  const by = `agent ${spec.agent} (run ${spec.id})`;

  async function runs(): Promise<Run[]> {
    // Include runs that earlier calls in the same message started.
    await delegate.settled(spec.rootId);
    const own = selectDescendants(spec.id, await registry.family(spec.rootId));
    return spec.continues === undefined
      ? own
      : [...(await readEarlierDescendants(registry, spec)), ...own];
  }

  return {
    async start(find, index) {
      const origin = { ...caller, stepKey: `${stepKey}/${index}` };
      return await delegate.start(async () => {
        const { agent, ...request } = await find();
        const wanted = { background: true, ...request };
        if (agent !== undefined) return { ...wanted, agent };
        const definition = await registry.content(spec.definition);
        if (definition === undefined) throw lostDefinition(spec.id);
        // The caller's extensions include the definition's own, and the new run gets them all.
        const { extensions: _, ...own } = definition as unknown as AgentDefinition;
        return { ...wanted, definition: own };
      }, origin);
    },
    async find(name) {
      await delegate.settled(spec.rootId);
      const family = await families.of(spec.rootId);
      const earlier =
        spec.continues === undefined ? [] : await readEarlierDescendants(registry, spec);
      const { id } = family.find(name) ?? findNamed(earlier, name) ?? findFamilyRun(family, name);
      const isOwn = isDescendant(family, id, spec.id) || earlier.some((run) => run.id === id);
      if (!isOwn) throw unknownRun(name, await runs());
      return await findLatestTurn(registry, await requireRun(registry, id));
    },
    run: (runId) => requireOverview(registry, runId),
    endOf: async (runId, signal) => void (await engine.result(runId, signal)),
    runs,
    pending: () => findPending(registry, spec.id, stepKey),
    collect: (runIds) => engine.collect(spec.id, runIds),
    async send(runId, text) {
      // An earlier execution of the step may have started the run.
      const isStarted = (await registry.childOf(spec.id, stepKey)) !== undefined;
      const id = `m-${spec.id}/${stepKey}`;
      const messageId = isStarted ? undefined : await engine.send(runId, text, by, id);
      if (messageId !== undefined) return { messageId };
      const origin = { ...caller, stepKey };
      return { continuedAs: await delegate.continue(runId, { task: text }, origin) };
    },
    cancel: (runId, reason) => engine.cancel(runId, reason, by),
  };
}

/** Reads an existing run. */
export async function requireRun(registry: Pick<Registry, "run">, runId: string): Promise<Run> {
  const run = await registry.run(runId);
  if (run === undefined) throw new CadreError("run-not-found", `There is no run ${runId}.`);
  return run;
}

/** Reads an existing run with the figures of its family. */
export async function requireOverview(
  registry: Pick<Registry, "run" | "figures">,
  runId: string,
): Promise<RunOverview> {
  return await readOverview(registry, await requireRun(registry, runId));
}

function lostDefinition(runId: string): CadreError {
  const message = `The registry has lost the definition of run ${runId}. Name an agent with agentId.`;
  return new CadreError("definition-invalid", message);
}

function isDescendant(family: Family, id: string, ancestorId: string): boolean {
  let parentId = family.get(id)?.parentId ?? null;
  while (parentId !== null && parentId !== ancestorId) {
    parentId = family.get(parentId)?.parentId ?? null;
  }
  return parentId === ancestorId;
}

/** The maximum number of runs in an error. */
const maxListed = 50;

/** Returns the refusal of a run that the caller did not start. Such a run may be waiting for the caller. */
export function unknownRun(name: string, runs: readonly Run[]): CadreError {
  const list = runs.slice(-maxListed).map(describeRunName).join(", ") || "none";
  const message = `"${name}" is not a run you started. Yours: ${list}.`;
  return new CadreError("run-not-found", message);
}

/** Returns the name of a run in lists and messages. */
export function describeRunName({ id, label, agent }: Pick<Run, "id" | "label" | "agent">): string {
  return `${label ?? agent} (run ${shortRunId(id)})`;
}
