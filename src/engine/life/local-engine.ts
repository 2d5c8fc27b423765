// The life of a run: creation, execution, end, resume, retry and fork.

import { CadreError } from "../../errors.ts";
import { refuseQueueRequest } from "../../run/queue/queue-request.ts";
import { isTerminal, type Run, type RunSpec } from "../../run/run.ts";
import { readOverview } from "../../registry/read-overviews.ts";
import type { Registry, RunRequest } from "../../registry/registry.ts";
import type { Message } from "../../run/message.ts";
import type { RecordedResult } from "../../run/result.ts";
import type { JsonObject } from "../../source/json.ts";
import { orAbort } from "../../source/or-abort.ts";
import type { RunEventBody } from "../../run/event.ts";
import { shareOutput } from "../live/share-output.ts";
import { type ForkAndRetry, createForkAndRetry } from "./fork-and-retry.ts";
import { unbounded, openBudget } from "../budget/open-budget.ts";
import { type Answering, createAnswering } from "./answering.ts";
import type { GivenAnswer } from "../run-context/answer-box.ts";
import { type Messaging, createMessaging } from "./messaging.ts";
import type { Engine, SpawnRequest } from "../engine.ts";
import {
  cancelled,
  createExecutions,
  type Executions,
  type ExecutionsOptions,
} from "./executions.ts";
import { createRaising, type RaiseRequest, type Raising } from "./raising.ts";
import { storeDefinition } from "./stored-definition.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { cancelElsewhere, type CancelRequest, resumeFamily, takeUp } from "./recover.ts";

/** Executes runs in this process, over a registry that may be shared with other processes. */
export function createLocalEngine(options: ExecutionsOptions): Engine {
  const { registry } = options;
  const executions = createExecutions(options);
  const spawn = createSpawn(options, executions);
  const mail = createMessaging(options, executions);
  const again = createForkAndRetry({ ...options, executions, spawn });

  const cancelAll = createCancel(options, executions);
  const answers = createAnswering(registry, executions);
  const raising = createRaising(options, executions);
  const answerers = { mail, answers, again, raising, cancelAll };
  registry.onRequest(async (request) => await answerRequest(request, answerers));
  const { activities, clock, executes = true } = options;
  if (executes && registry.live !== undefined) {
    shareOutput({ activities, live: registry.live, clock });
  }

  return {
    async spawn(request, queue) {
      refuseQueueRequest(queue);
      return await spawn(request);
    },
    async reattach(parentId, parentStep) {
      const run = await registry.childOf(parentId, parentStep);
      if (run !== undefined) {
        await takeUp(options, executions, run, executions.get(parentId)?.budget ?? unbounded);
      }
      return run?.id;
    },
    async result(runId, signal) {
      const execution = executions.get(runId);
      if (execution === undefined) return await readResult(registry, executions, runId, signal);
      return signal === undefined ? execution.ended : orAbort(execution.ended, signal);
    },
    async cancel(runId, reason, by, { keepDetached = false } = {}) {
      return await cancelAll(runId, { reason, by, ...(keepDetached && { keepDetached }) });
    },
    send: mail.send,
    raise: raising.raise,
    fork: again.fork,
    retry: again.retry,
    collect: (parentId, runIds) => executions.get(parentId)?.inbox.collect(runIds),
    async idle() {
      for (let all = executions.all(); all.length > 0; all = executions.all()) {
        await Promise.allSettled(all.map(({ ended }) => ended));
      }
    },
    isExecuting: (runId) => executions.get(runId) !== undefined,
    async resume(rootId, wish) {
      if (executions.get(rootId) !== undefined) return;
      await resumeFamily(options, executions, { rootId, ...wish });
    },
    async close() {
      const reason = cancelled("Cadre was closed.");
      // Roots end their descendants, but after a failure of the registry a root may be gone.
      await Promise.allSettled(executions.all().map((execution) => execution.halt(reason)));
    },
  };
}

/** Waits for the end of a run of another process. */
async function readResult(
  registry: Registry,
  { ends }: Executions,
  runId: string,
  signal: AbortSignal | undefined,
): Promise<RecordedResult> {
  const { ended, leave } = ends.listen(runId);
  try {
    const result = await (signal === undefined ? ended : orAbort(ended, signal));
    const run = await registry.run(runId);
    // Journals of earlier versions have other figures.
    return (run === undefined ? null : (await readOverview(registry, run)).result) ?? result;
  } finally {
    leave();
  }
}

/** Cancels a run and its descendants. Resolves with whether anything ended. */
type Cancel = (runId: string, request: CancelRequest) => Promise<boolean>;

function createCancel(options: ExecutionsOptions, executions: Executions): Cancel {
  const { registry } = options;

  async function cancelOne(runId: string, request: CancelRequest): Promise<boolean> {
    // Every run in the registry that this process is creating is announced. Wait for it, so that its executor ends it.
    if ((await registry.run(runId)) === undefined) return false;
    await executions.begun(runId);
    const execution = executions.get(runId);
    if (execution !== undefined) {
      if (!execution.isEnding()) registry.append(runId, { type: "cancel-requested", ...request });
      const { status } = await execution.halt(cancelled(request.reason, request));
      // The run may have ended by itself at this moment.
      return status === "cancelled";
    }
    return await cancelElsewhere(options, executions, runId, request);
  }

  async function cancelAll(runId: string, request: CancelRequest): Promise<boolean> {
    const isCancelled = await cancelOne(runId, request);
    const run = await registry.run(runId);
    if (run === undefined || !isTerminal(run.status)) return isCancelled;
    // Detached runs may have outlived their parents. No running run stops them then.
    const outliving = request.keepDetached === true ? [] : await findOutliving(registry, run);
    const ends = await Promise.all(outliving.map(({ id }) => cancelAll(id, request)));
    return isCancelled || ends.includes(true);
  }

  return cancelAll;
}

/** Finds the running detached descendants of an ended run. */
async function findOutliving(registry: Registry, ended: Run): Promise<Run[]> {
  const children = await registry.children(ended.id);
  const below = children.filter(({ status }) => isTerminal(status));
  const found = await Promise.all(below.map((child) => findOutliving(registry, child)));
  return [...children.filter(({ status }) => !isTerminal(status)), ...found.flat()];
}

/** Answers a request of another process; `false` when it cannot be answered yet. */
async function answerRequest(
  { runId, kind, data }: RunRequest,
  { mail, answers, again, raising, cancelAll }: Answerers,
): Promise<boolean> {
  if (kind === "message") return await mail.receive(runId, data as unknown as Message);
  if (kind === "retry") return await again.answer(runId, data);
  if (kind === "answer") return await answers.receive(runId, data as unknown as GivenAnswer);
  if (kind === "raise") return await raising.receive(runId, data as unknown as RaiseRequest);
  await cancelAll(runId, data as unknown as CancelRequest);
  return true;
}

interface Answerers {
  mail: Messaging;
  answers: Answering;
  again: ForkAndRetry;
  raising: Raising;
  cancelAll: Cancel;
}

type Spawn = (request: SpawnRequest, beginning?: readonly RunEventBody[]) => Promise<string>;

/** Creates runs with their first events, and starts them once those are durable. */
function createSpawn(options: ExecutionsOptions, executions: Executions): Spawn {
  const { registry, tracing, executes = true } = options;
  return async ({ definition, ...rest }, beginning = []) => {
    const { id, parentId } = rest;
    const parent = parentId === null ? undefined : executions.get(parentId);
    if (parentId !== null && parent === undefined) {
      throw new CadreError("closed", `The run ${parentId} has ended and can no longer delegate.`);
    }
    const budget = openBudget(rest, parent?.budget);
    const hasBegun = executions.announce(id);
    try {
      const hash = registry.putContent(storeDefinition(definition) as unknown as JsonObject);
      const trace = parent === undefined ? tracing?.caller() : parent.spec.trace;
      const spec: RunSpec = { ...rest, definition: hash, ...omitUndefined({ trace }) };
      registry.append(id, { type: "run-created", spec });
      for (const event of beginning) registry.append(id, event);
      await registry.flushed();
      const run = await registry.run(id);
      if (run === undefined || !executes) budget.close();
      else executions.begin({ run, spec, definition }, budget);
      return id;
    } catch (error) {
      budget.close();
      throw error;
    } finally {
      hasBegun();
    }
  };
}
