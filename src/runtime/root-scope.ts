import {
  notYours,
  requireOverview,
  requireRun,
  type SessionScope,
} from "../delegate/session-scope.ts";
import type { Delegate } from "../delegate/delegate.ts";
import type { Engine } from "../engine/engine.ts";
import { CadreError } from "../errors.ts";
import type { Registry } from "../registry/registry.ts";
import type { Run } from "../run/run.ts";
import { shortRunId } from "../run/run-id.ts";
import { orAbort } from "../source/or-abort.ts";
import { followRun } from "./follow.ts";

/** The families of one Cadre: those it started, continues, or was asked about. */
interface Roots {
  ids(): readonly string[];
  adopt(rootId: string): void;
}

/** Keeps track of the families that this process executes. */
function trackRoots(registry: Pick<Registry, "subscribe">): Roots {
  const ids = new Set<string>();
  registry.subscribe((event, run) => {
    const isBeginning = event.type === "run-created" || event.type === "run-started";
    if (isBeginning && run.parentId === null) ids.add(run.id);
  });
  return { ids: () => [...ids], adopt: (rootId) => void ids.add(rootId) };
}

/** What {@link createRootScope} needs. */
export interface RootScopeOptions {
  delegate: Pick<Delegate, "start">;
  engine: Engine;
  registry: Registry;
}

/** The scope of somebody outside of all runs. */
export interface RootScope extends SessionScope {
  /** A run was started that nobody waits for. */
  leave(runId: string): void;
  /** Waits for the end of a run; continues its family first when the process that executed it is gone. */
  endOf(runId: string, signal: AbortSignal): Promise<void>;
}

/** The scope of whoever uses the delegate tools of a Cadre: its families. Any run of the registry is found by its id. */
export function createRootScope(options: RootScopeOptions): RootScope {
  const { delegate, engine, registry } = options;
  const roots = trackRoots(registry);
  const background = new Set<string>();

  async function runs(): Promise<Run[]> {
    await registry.flushed();
    const families = await Promise.all(roots.ids().map((rootId) => registry.family(rootId)));
    return families.flat().toSorted((one, other) => one.createdAt - other.createdAt);
  }

  return {
    async start(find) {
      const id = await delegate.start(async () => ({ agent: "main", ...(await find()) }));
      background.add(id);
      return id;
    },
    async find(name) {
      const found = (await registry.run(name)) ?? findNamed(await runs(), name);
      roots.adopt(found.rootId);
      return found;
    },
    run: (runId) => requireOverview(registry, runId),
    runs,
    async pending() {
      return await Promise.all([...background].map((id) => requireRun(registry, id)));
    },
    collect(runIds) {
      for (const id of runIds) background.delete(id);
    },
    send: (runId, text) => engine.send(runId, text, "user"),
    cancel: (runId, reason) => engine.cancel(runId, reason, "user"),
    leave: (runId) => void background.add(runId),
    endOf: (runId, signal) => awaitEnd(options, runId, signal),
  };
}

/** The newest of `runs` with that label, or that part of its id. */
function findNamed(runs: readonly Run[], name: string): Run {
  const found = runs.findLast(({ id, label }) => label === name || shortRunId(id) === name);
  if (found === undefined) throw notYours(name, runs);
  return found;
}

async function awaitEnd(
  { engine, registry }: RootScopeOptions,
  runId: string,
  signal: AbortSignal,
): Promise<void> {
  if (!engine.isExecuting(runId)) {
    const run = await requireRun(registry, runId);
    if (run.result !== null) return;
    await continueFamily(engine, run.rootId);
  }
  if (engine.isExecuting(runId)) await orAbort(engine.result(runId), signal);
  else await orAbort(followToEnd(registry, runId), signal);
}

async function continueFamily(engine: Engine, rootId: string): Promise<void> {
  try {
    await engine.resume(rootId);
  } catch (error) {
    // Another process is at it.
    if (!(error instanceof CadreError && error.code === "run-owned")) throw error;
  }
}

async function followToEnd(registry: Registry, runId: string): Promise<void> {
  for await (const event of followRun(registry, runId)) {
    if (event.type === "run-finished") return;
  }
}
