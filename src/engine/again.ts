import type { AgentDefinition } from "../agent/agent.ts";
import type { Clock } from "../clock.ts";
import { CadreError } from "../errors.ts";
import type { Registry } from "../registry/registry.ts";
import type { RunEventBody } from "../run/event.ts";
import type { Lineage } from "../run/lineage.ts";
import { isTerminal, type Run } from "../run/run.ts";
import { createRunId } from "../run/run-id.ts";
import type { JsonValue } from "../source/json.ts";
import type { SpawnRequest } from "./engine.ts";
import type { Executions } from "./executions.ts";
import { takeBeginning } from "./fork.ts";

/** Makes new runs of old ones. */
export interface Again {
  /** See `Engine.fork`. */
  fork(runId: string, at: string, task?: string): Promise<string>;
  /** See `Engine.retry`. */
  retry(runId: string): Promise<string>;
  /** Does what another process asks with `retry`; `false` when its parent is not at work here yet. */
  answer(parentId: string, data: JsonValue): Promise<boolean>;
}

/** What {@link createAgain} needs. */
export interface AgainOptions {
  registry: Registry;
  clock: Clock;
  executions: Executions;
  spawn: (request: SpawnRequest, beginning?: readonly RunEventBody[]) => Promise<string>;
}

/** Forks and retries of the runs in `registry`. */
export function createAgain({ registry, clock, executions, spawn }: AgainOptions): Again {
  async function requestOf(runId: string): Promise<SpawnRequest> {
    const spec = await registry.spec(runId);
    const definition = spec === undefined ? undefined : await registry.definition(spec.definition);
    if (spec === undefined || definition === undefined) {
      throw new CadreError("run-not-found", `There is no run ${runId}.`);
    }
    return { ...spec, definition: definition as unknown as AgentDefinition };
  }

  /** Once more under the same parent, which hears of the result as of any run in the background. */
  async function retryInPlace(run: Run, id: string): Promise<string> {
    const request = await requestOf(run.id);
    const dependsOn = await replaceRetried(registry, run);
    const lineage: Lineage = { kind: "retry", runId: run.id };
    const parentStep = `retry/${id}`;
    return await spawn({ ...request, id, parentStep, dependsOn, lineage, background: true });
  }

  return {
    async fork(runId, at, task) {
      const { step, beginning } = await takeBeginning(registry, runId, at);
      const id = createRunId(clock.now());
      if (task !== undefined) {
        const message = { id: `m-${id}`, kind: "steering", from: "user", text: task } as const;
        beginning.push({ type: "message-queued", message });
      }
      return await spawn(
        asRoot(await requestOf(runId), id, { kind: "fork", runId, step }),
        beginning,
      );
    },
    async retry(runId) {
      const run = await registry.run(runId);
      checkRetry(run, runId);
      const id = createRunId(clock.now());
      const parent = run.parentId === null ? undefined : await registry.run(run.parentId);
      if (parent === undefined || isTerminal(parent.status)) {
        return await spawn(asRoot(await requestOf(runId), id, { kind: "retry", runId }));
      }
      if (executions.get(parent.id) !== undefined) return await retryInPlace(run, id);
      await registry.request(parent.id, "retry", { runId, id });
      await appears(registry, { id, parentId: parent.id });
      return id;
    },
    async answer(parentId, data) {
      const { runId, id } = data as { runId: string; id: string };
      const [run, parent] = [await registry.run(runId), await registry.run(parentId)];
      const isOver = run === undefined || parent === undefined || isTerminal(parent.status);
      if (isOver || (await registry.run(id)) !== undefined) return true;
      if (executions.get(parentId) === undefined) return false;
      await retryInPlace(run, id);
      return true;
    },
  };
}

/** Waits until another process has created the run. */
async function appears(
  registry: Registry,
  { id, parentId }: { id: string; parentId: string },
): Promise<void> {
  const { signal } = new AbortController();
  while ((await registry.run(id)) === undefined) {
    const parent = await registry.run(parentId);
    if (parent === undefined || isTerminal(parent.status)) {
      const message = `The parent of the run (${parentId}) ended meanwhile; retry it again, and it becomes a run of its own.`;
      throw new CadreError("invalid-argument", message);
    }
    await registry.changed(signal);
  }
}

function checkRetry(run: Run | undefined, runId: string): asserts run is Run {
  if (run === undefined) throw new CadreError("run-not-found", `There is no run ${runId}.`);
  if (isTerminal(run.status) && run.status !== "succeeded") return;
  const why = isTerminal(run.status)
    ? "it succeeded; start a new run from one of its steps with `cadre fork`"
    : `it has not ended (${run.status}); cancel it first, or continue it with \`cadre resume\``;
  throw new CadreError("invalid-argument", `The run ${runId} cannot be retried: ${why}.`);
}

/** A run of its own: what tied it to a family is left behind. */
function asRoot(request: SpawnRequest, id: string, lineage: Lineage): SpawnRequest {
  const { background: _, detached: __, sequence: ___, ...rest } = request;
  const place = { rootId: id, parentId: null, parentStep: null, depth: 0, dependsOn: [] };
  return { ...rest, ...place, id, lineage };
}

/** What it depends on, with runs that were retried replaced by their latest retry. */
async function replaceRetried(registry: Registry, run: Run): Promise<string[]> {
  const family = await registry.family(run.rootId);
  const latest = new Map<string, string>();
  for (const { id, lineage } of family)
    if (lineage?.kind === "retry") latest.set(lineage.runId, id);
  return run.dependsOn.map((id) => {
    let current = id;
    for (let next = latest.get(id); next !== undefined; next = latest.get(next)) current = next;
    return current;
  });
}
