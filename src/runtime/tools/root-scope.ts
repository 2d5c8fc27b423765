import {
  unknownRun,
  requireOverview,
  requireRun,
  type SessionScope,
} from "../../delegate/tools/session-scope.ts";
import { findNamed } from "../../delegate/family/earlier-runs.ts";
import type { Delegate } from "../../delegate/start/delegate.ts";
import type { Engine } from "../../engine/engine.ts";
import { CadreError } from "../../errors.ts";
import { findLatestTurn } from "../../registry/find-latest-turn.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Run } from "../../run/run.ts";

/** The families of one Cadre: those that it started or continued, or that a caller named. */
interface Roots {
  ids(): readonly string[];
  adopt(rootId: string): void;
}

/** Tracks the families that this process executes. */
function trackRoots(registry: Pick<Registry, "subscribe">): Roots {
  const ids = new Set<string>();
  registry.subscribe((event, run) => {
    const isBeginning = event.type === "run-created" || event.type === "run-started";
    if (isBeginning && run.parentId === null) ids.add(run.id);
  });
  return { ids: () => [...ids], adopt: (rootId) => void ids.add(rootId) };
}

/** Options of {@link createRootScope}. */
export interface RootScopeOptions {
  delegate: Pick<Delegate, "start" | "continue">;
  engine: Engine;
  registry: Registry;
}

/** The scope of a caller outside runs. */
export interface RootScope extends SessionScope {
  /** Adds a run that its caller does not wait for. */
  addToBackground(runId: string): void;
}

/** Creates the scope of a Cadre's delegate tools: its families. An id finds any run of the registry. */
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
      if (found === undefined) throw unknownRun(name, await runs());
      const latest = await findLatestTurn(registry, found);
      roots.adopt(latest.rootId);
      return latest;
    },
    run: (runId) => requireOverview(registry, runId),
    runs,
    async pending() {
      return await Promise.all([...background].map((id) => requireRun(registry, id)));
    },
    collect(runIds) {
      for (const id of runIds) background.delete(id);
    },
    async send(runId, text) {
      const messageId = await engine.send(runId, text, "user");
      if (messageId !== undefined) return { messageId };
      const continuedAs = await delegate.continue(runId, { task: text });
      background.add(continuedAs);
      return { continuedAs };
    },
    cancel: (runId, reason) => engine.cancel(runId, reason, "user"),
    addToBackground: (runId) => void background.add(runId),
    endOf: (runId, signal) => awaitEnd(options, runId, signal),
  };
}

/** Waits for the end of a run. Continues its family first when its process is gone. */
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
  await engine.result(runId, signal);
}

async function continueFamily(engine: Engine, rootId: string): Promise<void> {
  try {
    await engine.resume(rootId);
  } catch (error) {
    // Another process executes it.
    if (!(error instanceof CadreError && error.code === "run-owned")) throw error;
  }
}
