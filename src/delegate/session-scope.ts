import type { AgentDefinition } from "../agent/agent.ts";
import type { Engine } from "../engine/engine.ts";
import { CadreError } from "../errors.ts";
import { readOverview } from "../registry/figures/read-overviews.ts";
import type { Registry } from "../registry/registry.ts";
import type { Delegation } from "../run/delegation.ts";
import type { Run } from "../run/run.ts";
import type { RunOverview } from "../run/figures/run-overview.ts";
import { shortRunId } from "../run/run-id.ts";
import { orAbort } from "../source/or-abort.ts";
import type { ToolContext } from "../tool/tool.ts";
import type { Delegate } from "./delegate.ts";
import { findMember } from "./dependencies.ts";
import type { Families } from "./families.ts";
import type { Family } from "./family.ts";
import { findPending } from "./pending-results.ts";

/** A run to start in the background; without an agent it is one like the caller. */
export type SessionRequest = Omit<Delegation, "agent" | "task" | "parameters"> & {
  agent?: string;
  task: string;
};

/** The runs that a caller of the session tools started and looks after, with all their descendants. */
export interface SessionScope {
  /**
   * Starts a run in the background; `index` tells those of one call apart. What it is to do is found when the request has its
   * turn, which it waits for from the moment of the call.
   */
  start(find: () => Promise<SessionRequest>, index: number): Promise<string>;
  /**
   * One of its runs, by its id or its label.
   *
   * @throws CadreError `run-not-found` that lists what there is.
   */
  find(name: string): Promise<Run>;
  /** How a run stands. */
  run(runId: string): Promise<RunOverview>;
  /** All of its runs, in order of creation. */
  runs(): Promise<Run[]>;
  /** Those in the background whose results it has not got. */
  pending(): Promise<Run[]>;
  /** These results were given to it. */
  collect(runIds: readonly string[]): void;
  /** See `Engine.send`; a step that is executed again says nothing twice. */
  send(runId: string, text: string): Promise<string | undefined>;
  /** See `Engine.cancel`. */
  cancel(runId: string, reason: string): Promise<boolean>;
}

/** What the session tools are made of. */
export interface SessionPort {
  delegate: Delegate;
  engine: Pick<Engine, "result" | "cancel" | "send" | "collect" | "isExecuting">;
  registry: Registry;
  families: Families;
}

/** The scope of a run that calls a session tool: its own descendants. */
export function createFamilyScope(port: SessionPort, context: ToolContext): SessionScope {
  const { delegate, engine, registry, families } = port;
  const { caller, stepKey } = context;
  const { spec } = caller;
  const by = `agent ${spec.agent} (run ${spec.id})`;

  async function runs(): Promise<Run[]> {
    // What the calls before this one in the same message started is there as well.
    await delegate.settled(spec.rootId);
    const inside = new Set([spec.id]);
    // A child comes after its parent.
    return (await registry.family(spec.rootId)).filter(({ id, parentId }) => {
      if (parentId === null || !inside.has(parentId)) return false;
      inside.add(id);
      return true;
    });
  }

  return {
    async start(find, index) {
      const origin = { ...caller, stepKey: `${stepKey}/${index}` };
      return await delegate.start(async () => {
        const { agent, ...request } = await find();
        const wanted = { background: true, ...request };
        if (agent !== undefined) return { ...wanted, agent };
        const definition = await registry.definition(spec.definition);
        if (definition === undefined) throw lostDefinition(spec.id);
        // What it brought along itself is among the extensions of the caller, which the new run gets all of.
        const { extensions: _, ...own } = definition as unknown as AgentDefinition;
        return { ...wanted, definition: own };
      }, origin);
    },
    async find(name) {
      await delegate.settled(spec.rootId);
      const family = await families.of(spec.rootId);
      const { id } = findMember(family, name);
      if (!isDescendant(family, id, spec.id)) throw notYours(name, await runs());
      return await requireRun(registry, id);
    },
    run: (runId) => requireOverview(registry, runId),
    runs,
    pending: () => findPending(registry, spec.id, stepKey),
    collect: (runIds) => engine.collect(spec.id, runIds),
    send: (runId, text) => engine.send(runId, text, by, `m-${spec.id}/${stepKey}`),
    cancel: (runId, reason) => engine.cancel(runId, reason, by),
  };
}

/** Waits for the end of a run of this process, also of one that is not taken up again yet. */
export async function awaitEnd(
  { engine, registry }: Pick<SessionPort, "engine" | "registry">,
  runId: string,
  signal: AbortSignal,
): Promise<void> {
  if (engine.isExecuting(runId)) {
    await orAbort(engine.result(runId), signal);
    return;
  }
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = registry.subscribe((event) => {
    if (event.runId === runId && event.type === "run-finished") resolve();
  });
  try {
    // After the ear is open: an end in between is heard.
    if ((await requireRun(registry, runId)).result === null) await orAbort(promise, signal);
  } finally {
    stop();
  }
}

/** A run that was there a moment ago. */
export async function requireRun(registry: Pick<Registry, "run">, runId: string): Promise<Run> {
  const run = await registry.run(runId);
  if (run === undefined) throw new CadreError("run-not-found", `There is no run ${runId}.`);
  return run;
}

/** The same with what it and its descendants took. */
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

/** More runs than these are no help. */
const mostListed = 50;

/** A caller must not end, steer or wait for those that it did not start: they may be waiting for it. */
export function notYours(name: string, runs: readonly Run[]): CadreError {
  const list = runs.slice(-mostListed).map(describeRunName).join(", ") || "none";
  const message = `"${name}" is none of the runs you started. Yours: ${list}.`;
  return new CadreError("run-not-found", message);
}

/** A run as lists and messages show it. */
export function describeRunName({ id, label, agent }: Pick<Run, "id" | "label" | "agent">): string {
  return `${label ?? agent} (run ${shortRunId(id)})`;
}
