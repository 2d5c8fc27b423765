import {
  type CallToolResult,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { CadreError, describeResult, type Run, type RunHandle } from "../../host.ts";
import { toResult } from "./begin-call.ts";
import { canAnswer, canPoll, capabilitiesOf, tasksExtension } from "../client/capabilities.ts";
import type { Client } from "../client/client.ts";
import { pushAlong } from "../question/push-questions.ts";
import type { ClientQuestion } from "../question/question-pool.ts";
import { pageOfRuns, readCursor } from "../resource/resources.ts";
import { type CallContext, toInputRequests } from "./serve-call.ts";
import { relatedTask } from "../task/task-status.ts";
import { toExtensionTask, toTask } from "../task/task.ts";

/** Returns the client of a request. */
type PlaceOf = (ctx: ServerContext) => CallContext;

const taskName = z.looseObject({ taskId: z.string() });
const page = z.looseObject({ cursor: z.string().optional() });
/** Serves the tasks of 2025-11-25. Every run without a parent is a task, including runs of earlier processes. */
export function serveTasks(server: Server, positionOf: PlaceOf): void {
  server.setRequestHandler("tasks/get", { params: taskName }, async ({ taskId }, ctx) => {
    const context = positionOf(ctx);
    const { run } = await findOwnTask(context, taskId);
    return { ...toTask(run, openQuestions(context, run).length > 0) };
  });
  server.setRequestHandler("tasks/list", { params: page }, async ({ cursor }, ctx) => {
    const cadre = await positionOf(ctx).client.cadre();
    const { runs, nextCursor } = await pageOfRuns(cadre, readCursor(cursor));
    return { tasks: runs.map((run) => toTask(run)), ...nextCursor };
  });
  server.setRequestHandler("tasks/cancel", { params: taskName }, async ({ taskId }, ctx) => {
    const { run, handle } = await findTask(positionOf(ctx), taskId);
    if (run.result !== null) {
      const message = `The task ${taskId} has ended before: ${run.status}.`;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
    }
    await handle.cancel("cancelled by the client");
    return { ...toTask(await handle.state()) };
  });
  server.setRequestHandler("tasks/result", { params: taskName }, async ({ taskId }, ctx) => {
    const context = positionOf(ctx);
    const { run, handle } = await findOwnTask(context, taskId);
    const done = new AbortController();
    const isWanted = (question: ClientQuestion): boolean => isOpenTo(context.client, run, question);
    pushAlong(context.pool, ctx, { isWanted, signal: done.signal });
    try {
      await handle.result();
      return { ...resultOf(await handle.state()), _meta: relatedTask(taskId) };
    } finally {
      done.abort();
    }
  });
}

/** Serves the tasks of the 2026-07-28 extension. */
export function serveExtensionTasks(server: Server, positionOf: PlaceOf): void {
  server.setRequestHandler("tasks/get", { params: taskName }, async ({ taskId }, ctx) => {
    requireExtension(ctx);
    const context = positionOf(ctx);
    const { run } = await findTask(context, taskId);
    const questions = openQuestions(context, run);
    const task = toExtensionTask(run, questions.length > 0);
    if (task.status === "completed") return { ...task, result: resultOf(run) };
    return questions.length === 0
      ? { ...task }
      : { ...task, inputRequests: toInputRequests(questions) };
  });
  server.setRequestHandler("tasks/update", { params: taskName }, async ({ taskId }, ctx) => {
    requireExtension(ctx);
    const context = positionOf(ctx);
    const { run } = await findTask(context, taskId);
    const responses = ctx.mcpReq.inputResponses ?? {};
    for (const { key } of openQuestions(context, run)) {
      if (Object.hasOwn(responses, key)) context.pool.answer(key, responses[key]);
    }
    return {};
  });
  server.setRequestHandler("tasks/cancel", { params: taskName }, async ({ taskId }, ctx) => {
    requireExtension(ctx);
    const { handle } = await findTask(positionOf(ctx), taskId);
    await handle.cancel("cancelled by the client");
    return {};
  });
}

function requireExtension(ctx: ServerContext): void {
  if (canPoll(capabilitiesOf(ctx) ?? {})) return;
  const requiredCapabilities = { extensions: { [tasksExtension]: {} } };
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities });
}

interface FoundTask {
  run: Run;
  handle: RunHandle;
}

/** Returns a task for a client of 2025-11-25. From then on the client receives the task's questions and its end. */
async function findOwnTask(context: CallContext, taskId: string): Promise<FoundTask> {
  const found = await findTask(context, taskId);
  if (found.run.result === null) context.client.tasks.add(taskId);
  return found;
}

/** Returns a run without a parent as a task; resumes it if its process is gone. */
async function findTask({ client }: CallContext, taskId: string): Promise<FoundTask> {
  const cadre = await client.cadre();
  try {
    const handle = await cadre.find(taskId);
    const run = await handle.state();
    if (run.id === taskId && run.parentId === null) {
      if (run.result === null) await cadre.resume(taskId).catch(ignoreOwned);
      return { run, handle };
    }
  } catch (error) {
    if (!(error instanceof CadreError && error.code === "run-not-found")) throw error;
  }
  const message = `There is no task ${JSON.stringify(taskId.slice(0, 100))}.`;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

/** Ignores the error that another process executes the run. */
function ignoreOwned(error: unknown): void {
  if (!(error instanceof CadreError && error.code === "run-owned")) throw error;
}

function openQuestions({ client, pool }: CallContext, run: Run): ClientQuestion[] {
  return pool.open((question) => isOpenTo(client, run, question));
}

/** Reports whether the run may be waiting for the question and the client can answer it. */
function isOpenTo(
  client: Client,
  run: Run,
  { rootId, client: owner, request }: ClientQuestion,
): boolean {
  const isOfRun = rootId === null ? owner === client.name : rootId === run.rootId;
  return isOfRun && canAnswer(client.capabilities, request);
}

function resultOf({ agent, result }: Run): CallToolResult {
  if (result === null) throw new Error("The run has not ended.");
  const { text, isError = false } = describeResult(agent, result);
  return toResult({ text, isError, data: { ...result } as never });
}
