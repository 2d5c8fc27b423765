import { CadreError } from "../errors.ts";
import { isTerminal, type Run, type RunSpec } from "../run/run.ts";
import { readOverview } from "../registry/figures/read-overviews.ts";
import type { Registry, RunRequest } from "../registry/registry.ts";
import type { Message } from "../run/message.ts";
import type { JsonObject } from "../source/json.ts";
import type { RunEventBody } from "../run/event.ts";
import { type Again, createAgain } from "./again.ts";
import { unbounded, openBudget } from "./budget/open-budget.ts";
import { type Correspondence, createCorrespondence } from "./correspondence.ts";
import type { Engine, SpawnRequest } from "./engine.ts";
import {
  cancelled,
  createExecutions,
  type Executions,
  type ExecutionsOptions,
} from "./executions.ts";
import { storeDefinition } from "./recorded/stored-definition.ts";
import { cancelElsewhere, type CancelRequest, resumeFamily, takeUp } from "./recover.ts";

/** Executes runs in this process, over a registry that may be shared with other processes. */
export function createLocalEngine(options: ExecutionsOptions): Engine {
  const { registry } = options;
  const executions = createExecutions(options);
  const spawn = createSpawn(registry, executions);
  const mail = createCorrespondence(options, executions);
  const again = createAgain({ ...options, executions, spawn });

  const cancelAll = createCancel(options, executions);
  registry.onRequest(async (request) => await answerRequest(request, { mail, again, cancelAll }));

  return {
    spawn,
    async reattach(parentId, parentStep) {
      const run = await registry.childOf(parentId, parentStep);
      if (run !== undefined) {
        await takeUp(options, executions, run, executions.get(parentId)?.budget ?? unbounded);
      }
      return run?.id;
    },
    async result(runId) {
      const execution = executions.get(runId);
      if (execution !== undefined) return await execution.ended;
      const run = await registry.run(runId);
      const { result = null } = run === undefined ? {} : await readOverview(registry, run);
      if (result !== null) return result;
      throw new CadreError("run-not-found", `This process does not execute the run ${runId}.`);
    },
    async cancel(runId, reason, by, { keepDetached = false } = {}) {
      return await cancelAll(runId, { reason, by, ...(keepDetached && { keepDetached }) });
    },
    send: mail.send,
    fork: again.fork,
    retry: again.retry,
    collect: (parentId, runIds) => executions.get(parentId)?.inbox.collect(runIds),
    async idle() {
      for (let all = executions.all(); all.length > 0; all = executions.all()) {
        await Promise.allSettled(all.map(({ ended }) => ended));
      }
    },
    isExecuting: (runId) => executions.get(runId) !== undefined,
    async resume(rootId) {
      if (executions.get(rootId) !== undefined) return;
      await resumeFamily(options, executions, rootId);
    },
    async close() {
      const reason = cancelled("Cadre was closed.");
      // Roots first, which end their descendants; but a root may be gone after a failure of the registry.
      await Promise.allSettled(executions.all().map((execution) => execution.halt(reason)));
    },
  };
}

/** Ends a run, and all below it; resolves with whether anything ended because of that. */
type Cancel = (runId: string, request: CancelRequest) => Promise<boolean>;

function createCancel(options: ExecutionsOptions, executions: Executions): Cancel {
  const { registry } = options;

  async function cancelOne(runId: string, request: CancelRequest): Promise<boolean> {
    // What is just being created must not be ended by somebody else than who executes it.
    await executions.begun(runId);
    const execution = executions.get(runId);
    if (execution !== undefined) {
      if (!execution.isEnding) registry.append(runId, { type: "cancel-requested", ...request });
      const { status } = await execution.halt(cancelled(request.reason, request));
      // It may have come to its end by itself in this moment.
      return status === "cancelled";
    }
    return await cancelElsewhere(options, executions, runId, request);
  }

  async function cancelAll(runId: string, request: CancelRequest): Promise<boolean> {
    const isCancelled = await cancelOne(runId, request);
    const run = await registry.run(runId);
    if (run === undefined || !isTerminal(run.status)) return isCancelled;
    // Detached runs may have outlived their parents, and so be below nobody who is at work.
    const outliving = request.keepDetached === true ? [] : await findOutliving(registry, run);
    const ends = await Promise.all(outliving.map(({ id }) => cancelAll(id, request)));
    return isCancelled || ends.includes(true);
  }

  return cancelAll;
}

/** The runs below one that has ended which were to live on, and do. */
async function findOutliving(registry: Registry, ended: Run): Promise<Run[]> {
  const children = await registry.children(ended.id);
  const below = children.filter(({ status }) => isTerminal(status));
  const found = await Promise.all(below.map((child) => findOutliving(registry, child)));
  return [...children.filter(({ status }) => !isTerminal(status)), ...found.flat()];
}

/** Does what another process asks; `false` when it cannot be done yet. */
async function answerRequest(
  { runId, kind, data }: RunRequest,
  { mail, again, cancelAll }: Answerers,
): Promise<boolean> {
  if (kind === "message") return await mail.receive(runId, data as unknown as Message);
  if (kind === "retry") return await again.answer(runId, data);
  await cancelAll(runId, data as unknown as CancelRequest);
  return true;
}

interface Answerers {
  mail: Correspondence;
  again: Again;
  cancelAll: Cancel;
}

type Spawn = (request: SpawnRequest, beginning?: readonly RunEventBody[]) => Promise<string>;

/** Creates runs, with what they begin with, and begins them once that is durable. */
function createSpawn(registry: Registry, executions: Executions): Spawn {
  return async ({ definition, ...rest }, beginning = []) => {
    const { id, parentId } = rest;
    const parent = parentId === null ? undefined : executions.get(parentId);
    if (parentId !== null && parent === undefined) {
      throw new CadreError("closed", `The run ${parentId} has ended; it cannot delegate any more.`);
    }
    const budget = openBudget(rest, parent?.budget);
    const hasBegun = executions.announce(id);
    try {
      const hash = registry.putDefinition(storeDefinition(definition) as unknown as JsonObject);
      const spec: RunSpec = { ...rest, definition: hash };
      registry.append(id, { type: "run-created", spec });
      for (const event of beginning) registry.append(id, event);
      await registry.flushed();
      const run = await registry.run(id);
      if (run !== undefined) executions.begin({ run, spec, definition }, budget);
      return id;
    } catch (error) {
      budget.close();
      throw error;
    } finally {
      hasBegun();
    }
  };
}
