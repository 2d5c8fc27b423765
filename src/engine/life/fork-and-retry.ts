import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { isProgram } from "../../agent/definition/agent.ts";
import type { Clock } from "../../clock.ts";
import { CadreError } from "../../errors.ts";
import type { Registry } from "../../registry/registry.ts";
import type { RunEventBody } from "../../run/event.ts";
import type { Lineage } from "../../run/lineage.ts";
import { isTerminal, type Run, type RunSpec } from "../../run/run.ts";
import { createRunId } from "../../run/run-id.ts";
import type { LimitRaise } from "../../run/budget.ts";
import type { JsonObject, JsonValue } from "../../source/json.ts";
import type { SpawnRequest, SubmittedFiles } from "../engine.ts";
import type { Executions } from "./executions.ts";
import { flattenContext } from "../prompt/effective-context.ts";
import { takeBeginning } from "./fork.ts";
import { requireLimits, raiseLimits } from "./raising.ts";
import { type AdmitRun, admitRecorded } from "./recorded-run.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** Forks and retries runs. */
export interface ForkAndRetry {
  /** See `Engine.fork`. */
  fork(runId: string, at?: string, task?: string, submitted?: SubmittedFiles): Promise<string>;
  /** See `Engine.retry`. */
  retry(runId: string, raise?: LimitRaise, submitted?: SubmittedFiles): Promise<string>;
  /** Answers a `retry` request of another process. Returns `false` while the parent does not run here yet. */
  answer(parentId: string, data: JsonValue): Promise<boolean>;
}

/** A retry under the id `id`. */
interface Retry {
  runId: string;
  id: string;
  raise?: LimitRaise | undefined;
}

/** Options of {@link createForkAndRetry}. */
export interface ForkAndRetryOptions {
  registry: Registry;
  clock: Clock;
  executions: Executions;
  admit: AdmitRun;
  spawn: (request: SpawnRequest, beginning?: readonly RunEventBody[]) => Promise<string>;
}

/** Creates the forks and retries of the runs in `registry`. */
export function createForkAndRetry(options: ForkAndRetryOptions): ForkAndRetry {
  const { registry, clock, executions, spawn } = options;

  /** Retries under the same parent, which gets the result as from any background run. */
  async function retryInPlace({ runId, id, raise }: Retry): Promise<string> {
    const request = await replaceRetried(registry, await readRaised(options, runId, raise));
    const lineage: Lineage = { kind: "retry", runId };
    const own = { ...movedWorktree(request, id), id, parentStep: `retry/${id}`, lineage };
    return await spawn({ ...request, ...own, background: true });
  }

  return {
    async fork(runId, at, task, submitted) {
      const source = await readRequest(options, runId);
      if (task !== undefined) checkReadsMessages(source);
      const { step, isWhole, beginning } = await takeBeginning(registry, runId, at);
      const isCopy = isWhole && task === undefined;
      if (isCopy && at !== "end") await checkContinues(registry, source, { runId, step });
      const now = clock.now();
      const id = createRunId(now);
      if (task !== undefined) {
        const message = { id: `m-${id}`, kind: "steering", from: "user", text: task } as const;
        beginning.push({ type: "message-queued", message });
      }
      const request = await asRoot(registry, source, { id, now, submitted });
      // A fork begins a separate conversation.
      const { conversation: _, ...own } = request;
      return await spawn({ ...own, lineage: { kind: "fork", runId, step } }, beginning);
    },
    async retry(runId, raise, submitted) {
      const run = await registry.run(runId);
      checkRetry(run, runId);
      if (raise !== undefined) requireLimits(run, raise);
      const now = clock.now();
      const id = createRunId(now);
      const parent = run.parentId === null ? undefined : await registry.run(run.parentId);
      if (parent === undefined || isTerminal(parent.status)) {
        const request = await asRoot(registry, await readRaised(options, runId, raise), {
          id,
          now,
          submitted,
        });
        const lineage: Lineage = { kind: "retry", runId };
        return await spawn({ ...(await replaceRetried(registry, request)), lineage });
      }
      if (executions.get(parent.id) !== undefined) return await retryInPlace({ runId, id, raise });
      const request = { runId, id, ...omitUndefined({ raise }) };
      await registry.request(parent.id, "retry", request as unknown as JsonObject);
      await appears(registry, { id, parent });
      return id;
    },
    async answer(parentId, data) {
      const retry = data as unknown as Retry;
      const { id } = retry;
      const parent = await registry.run(parentId);
      const isOver = parent === undefined || isTerminal(parent.status);
      if (isOver || (await registry.run(id)) !== undefined) return true;
      if (executions.get(parentId) === undefined) return false;
      await retryInPlace(retry).catch((error: unknown) => refuse(registry, parentId, error));
      return true;
    },
  };
}

/** Reports a refusal to the asking process through the journal of the parent. */
async function refuse(registry: Registry, parentId: string, error: unknown): Promise<void> {
  if (!(error instanceof CadreError)) throw error;
  registry.append(parentId, { type: "warning-raised", message: error.message });
  await registry.flushed();
}

/**
 * Waits until the process that executes the parent has created the run.
 *
 * @throws CadreError `invalid-argument` when it can no longer happen.
 */
async function appears(
  registry: Registry,
  { id, parent }: { id: string; parent: Run },
): Promise<void> {
  for (;;) {
    const looking = new AbortController();
    const change = registry.changed(looking.signal);
    // The error of the query below takes precedence.
    change.catch(() => undefined);
    try {
      const isAsked = (await registry.requestsTo(parent.id)).some(
        ({ data }) => (data as { id?: string }).id === id,
      );
      // Check after the request: its answer is recorded after the run.
      if ((await registry.run(id)) !== undefined) return;
      const { status } = (await registry.run(parent.id)) ?? parent;
      if (isTerminal(status)) throw notRetried(parent, "has ended meanwhile", "Retry it again");
      if (!isAsked) throw notRetried(parent, "could not start it", "See `cadre show` of that run");
      if ((await registry.abandoned()).includes(parent.rootId)) {
        throw notRetried(
          parent,
          "is not executed by any process",
          "Continue it with `cadre resume`",
        );
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

/** Refuses a message for a run that reads none. */
function checkReadsMessages({ definition }: SpawnRequest): void {
  if (!isProgram(definition)) return;
  const message = `The agent ${definition.name} is a program, which reads no messages. Fork the run without a task.`;
  throw new CadreError("invalid-argument", message);
}

/** Refuses a fork that would only repeat the answer of `runId`. A program can have changed, so it may do more. */
async function checkContinues(
  registry: Registry,
  { definition }: SpawnRequest,
  { runId, step }: { runId: string; step: string },
): Promise<void> {
  const run = await registry.run(runId);
  if (run?.status !== "succeeded" || isProgram(definition)) return;
  const message = `The run ${runId} succeeded with its step ${step}, so a fork from there would do nothing. Give the fork a task, or an earlier step, which \`cadre events\` lists; the step \`end\` only copies the conversation.`;
  throw new CadreError("invalid-argument", message);
}

/** Rebuilds the request that created a run, restricted to the current rights. */
async function readRequest(
  { registry, admit }: Pick<ForkAndRetryOptions, "registry" | "admit">,
  runId: string,
): Promise<SpawnRequest> {
  if ((await registry.run(runId)) === undefined) {
    throw new CadreError("run-not-found", `There is no run ${runId}.`);
  }
  const { spec, definition } = await admitRecorded({ registry, admit }, runId, "copy");
  if (spec.worktree === undefined && !existsSync(spec.workspace)) {
    const message = `The run ${runId} worked in ${spec.workspace}, which no longer exists. Start the run that created this folder again.`;
    throw new CadreError("invalid-argument", message);
  }
  return { ...spec, definition };
}

/** Rebuilds the request of a run with the limits that it ended with, raised. */
async function readRaised(
  options: Pick<ForkAndRetryOptions, "registry" | "admit">,
  runId: string,
  raise: LimitRaise | undefined,
): Promise<SpawnRequest> {
  const run = await options.registry.run(runId);
  const request = await readRequest(options, runId);
  return run === undefined ? request : raiseLimits(run, request, raise);
}

/** Gives the new run its own worktree. */
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
 * Converts a request to that of a root run with the same rights and shared context. The user's request at `now` accepts the
 * definitions as of that time.
 */
async function asRoot(
  registry: Registry,
  request: SpawnRequest,
  { id, now, submitted }: { id: string; now: number; submitted: SubmittedFiles | undefined },
): Promise<SpawnRequest> {
  // The new run is submitted anew.
  const { background: _, detached: __, sequence: ___, filesThrough: ____, ...rest } = request;
  const context = await flattenContext(registry, request);
  const position = {
    rootId: id,
    parentId: null,
    parentStep: null,
    depth: 0,
    chain: [request.agent],
  };
  return {
    ...rest,
    ...position,
    ...movedWorktree(request, id),
    ...submitted,
    id,
    definitionsAsOf: now,
    ...omitUndefined({ context }),
  };
}

/** Replaces retried runs in dependencies and references with their latest retries. */
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
