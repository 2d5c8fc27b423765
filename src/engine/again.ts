import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { isProgram } from "../agent/agent.ts";
import type { Clock } from "../clock.ts";
import { CadreError } from "../errors.ts";
import type { Registry } from "../registry/registry.ts";
import type { RunEventBody } from "../run/event.ts";
import type { Lineage } from "../run/lineage.ts";
import { isTerminal, type Run, type RunSpec } from "../run/run.ts";
import { createRunId } from "../run/run-id.ts";
import type { JsonValue } from "../source/json.ts";
import type { SpawnRequest } from "./engine.ts";
import type { Executions } from "./executions.ts";
import { flattenContext } from "./effective-context.ts";
import { takeBeginning } from "./fork.ts";
import { type AdmitRun, admitRecorded } from "./recorded/recorded-run.ts";

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
  admit: AdmitRun;
  spawn: (request: SpawnRequest, beginning?: readonly RunEventBody[]) => Promise<string>;
}

/** Forks and retries of the runs in `registry`. */
export function createAgain(options: AgainOptions): Again {
  const { registry, clock, executions, spawn } = options;
  const requestOf = async (runId: string): Promise<SpawnRequest> =>
    await readRequest(options, runId);

  /** Once more under the same parent, which hears of the result as of any run in the background. */
  async function retryInPlace(runId: string, id: string): Promise<string> {
    const request = await replaceRetried(registry, await requestOf(runId));
    const lineage: Lineage = { kind: "retry", runId };
    const own = { ...movedWorktree(request, id), id, parentStep: `retry/${id}`, lineage };
    return await spawn({ ...request, ...own, background: true });
  }

  /** What cannot be done here is said to who asks, through the journal of the parent. */
  async function refuse(parentId: string, error: unknown): Promise<void> {
    if (!(error instanceof CadreError)) throw error;
    registry.append(parentId, { type: "warning-raised", message: error.message });
    await registry.flushed();
  }

  return {
    async fork(runId, at, task) {
      const source = await requestOf(runId);
      if (task !== undefined) checkReadsMessages(source);
      const { step, beginning } = await takeBeginning(registry, runId, at);
      const now = clock.now();
      const id = createRunId(now);
      if (task !== undefined) {
        const message = { id: `m-${id}`, kind: "steering", from: "user", text: task } as const;
        beginning.push({ type: "message-queued", message });
      }
      const request = await asRoot(registry, source, { id, now });
      return await spawn({ ...request, lineage: { kind: "fork", runId, step } }, beginning);
    },
    async retry(runId) {
      const run = await registry.run(runId);
      checkRetry(run, runId);
      const now = clock.now();
      const id = createRunId(now);
      const parent = run.parentId === null ? undefined : await registry.run(run.parentId);
      if (parent === undefined || isTerminal(parent.status)) {
        const request = await asRoot(registry, await requestOf(runId), { id, now });
        const lineage: Lineage = { kind: "retry", runId };
        return await spawn({ ...(await replaceRetried(registry, request)), lineage });
      }
      if (executions.get(parent.id) !== undefined) return await retryInPlace(runId, id);
      await registry.request(parent.id, "retry", { runId, id });
      await appears(registry, { id, parent });
      return id;
    },
    async answer(parentId, data) {
      const { runId, id } = data as { runId: string; id: string };
      const parent = await registry.run(parentId);
      const isOver = parent === undefined || isTerminal(parent.status);
      if (isOver || (await registry.run(id)) !== undefined) return true;
      if (executions.get(parentId) === undefined) return false;
      await retryInPlace(runId, id).catch((error: unknown) => refuse(parentId, error));
      return true;
    },
  };
}

/**
 * Waits until the process that executes the parent has created the run.
 *
 * @throws CadreError `invalid-argument` when that does not happen any more.
 */
async function appears(
  registry: Registry,
  { id, parent }: { id: string; parent: Run },
): Promise<void> {
  for (;;) {
    const looking = new AbortController();
    const change = registry.changed(looking.signal);
    // What the look throws comes first.
    change.catch(() => undefined);
    try {
      const isAsked = (await registry.requestsTo(parent.id)).some(
        ({ data }) => (data as { id?: string }).id === id,
      );
      // After the request: what answers it writes the run first.
      if ((await registry.run(id)) !== undefined) return;
      const { status } = (await registry.run(parent.id)) ?? parent;
      if (isTerminal(status)) throw notRetried(parent, "has ended meanwhile", "Retry it again");
      if (!isAsked) throw notRetried(parent, "could not take it", "See `cadre show` of that run");
      if ((await registry.abandoned()).includes(parent.rootId)) {
        throw notRetried(parent, "is at work in no process", "Continue it with `cadre resume`");
      }
      await change;
    } finally {
      looking.abort();
    }
  }
}

function notRetried(parent: Run, why: string, advice: string): CadreError {
  const message = `The run cannot be retried in its family: its parent ${parent.id} ${why}. ${advice}.`;
  return new CadreError("invalid-argument", message);
}

function checkRetry(run: Run | undefined, runId: string): asserts run is Run {
  if (run === undefined) throw new CadreError("run-not-found", `There is no run ${runId}.`);
  if (isTerminal(run.status) && run.status !== "succeeded") return;
  const why = isTerminal(run.status)
    ? "it succeeded; start a new run from one of its steps with `cadre fork`"
    : `it has not ended (${run.status}); cancel it first, or continue it with \`cadre resume\``;
  throw new CadreError("invalid-argument", `The run ${runId} cannot be retried: ${why}.`);
}

/** A message to a run that reads none would have no effect. */
function checkReadsMessages({ definition }: SpawnRequest): void {
  if (!isProgram(definition)) return;
  const message = `The agent ${definition.name} is a program, which reads no messages. Fork the run without a task.`;
  throw new CadreError("invalid-argument", message);
}

/** What was asked for when the run was created, as far as it may be asked for now. */
async function readRequest(
  { registry, admit }: Pick<AgainOptions, "registry" | "admit">,
  runId: string,
): Promise<SpawnRequest> {
  if ((await registry.run(runId)) === undefined) {
    throw new CadreError("run-not-found", `There is no run ${runId}.`);
  }
  const { spec, definition } = await admitRecorded({ registry, admit }, runId);
  if (spec.worktree === undefined && !existsSync(spec.workspace)) {
    const message = `The run ${runId} worked in ${spec.workspace}, which is not there any more. Make the run anew whose folder that was.`;
    throw new CadreError("invalid-argument", message);
  }
  return { ...spec, definition };
}

/** A run made of another has a worktree of its own too. */
function movedWorktree(
  { workspace, worktree }: SpawnRequest,
  id: string,
): Pick<RunSpec, "workspace" | "worktree"> {
  if (worktree === undefined) return { workspace };
  const root = join(dirname(worktree.root), id);
  return {
    workspace: join(root, relative(worktree.root, workspace)),
    worktree: { ...worktree, root },
  };
}

/**
 * As a run of its own: it keeps what it may do and what was shared with it, and nobody else hears of it. The user asks for it at
 * `now`, and so accepts the definitions that are there then, as with any new run.
 */
async function asRoot(
  registry: Registry,
  request: SpawnRequest,
  { id, now }: { id: string; now: number },
): Promise<SpawnRequest> {
  const { background: _, detached: __, sequence: ___, ...rest } = request;
  const context = await flattenContext(registry, request);
  const place = { rootId: id, parentId: null, parentStep: null, depth: 0, chain: [request.agent] };
  return {
    ...rest,
    ...place,
    ...movedWorktree(request, id),
    id,
    definitionsAsOf: now,
    ...(context !== undefined && { context }),
  };
}

/** What a run depends on and refers to, with runs that were retried replaced by their latest retry. */
async function replaceRetried(registry: Registry, request: SpawnRequest): Promise<SpawnRequest> {
  const { dependsOn, context } = request;
  const latest = async (id: string): Promise<string> => {
    const retries = await registry.madeFrom(id);
    const last = retries.findLast(({ lineage }) => lineage?.kind === "retry");
    return last === undefined ? id : await latest(last.id);
  };
  const replaced = await Promise.all(dependsOn.map(latest));
  if (context === undefined) return { ...request, dependsOn: replaced };
  const references = await Promise.all(
    Object.entries(context.references).map(async ([key, id]) => [key, await latest(id)] as const),
  );
  return {
    ...request,
    dependsOn: replaced,
    context: { ...context, references: Object.fromEntries(references) },
  };
}
