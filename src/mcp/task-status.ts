import { type Notification, RELATED_TASK_META_KEY } from "@modelcontextprotocol/server";
import type { Run } from "../index.ts";
import type { HostRequest, QuestionPool } from "./question-pool.ts";
import { toTask } from "./task.ts";

/** What says that a message belongs to a task of 2025-11-25. */
export function relatedTask(taskId: string): Record<string, unknown> {
  return { [RELATED_TASK_META_KEY]: { taskId } };
}

/** A question as one of a task. */
export function relateToTask(request: HostRequest, taskId: string): HostRequest {
  const _meta = { ...request.params._meta, ...relatedTask(taskId) };
  return request.method === "elicitation/create"
    ? { method: request.method, params: { ...request.params, _meta } }
    : { method: request.method, params: { ...request.params, _meta } };
}

/** Tells how a run stands, to a client that looks after it as a task of 2025-11-25. */
export function toStatusNotification(run: Run, pool: QuestionPool): Notification {
  const isAsking = pool.open(({ rootId }) => rootId === run.id).length > 0;
  return { method: "notifications/tasks/status", params: { ...toTask(run, isAsking) } };
}
