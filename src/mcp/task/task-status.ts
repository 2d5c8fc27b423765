import { type Notification, RELATED_TASK_META_KEY } from "@modelcontextprotocol/server";
import type { Run } from "../../host.ts";
import type { HostRequest, QuestionPool } from "../question/question-pool.ts";
import { toTask } from "./task.ts";

/** Returns the metadata that links a message to a task of 2025-11-25. */
export function relatedTask(taskId: string): Record<string, unknown> {
  return { [RELATED_TASK_META_KEY]: { taskId } };
}

/** Returns a question with the metadata of its task. */
export function relateToTask(request: HostRequest, taskId: string): HostRequest {
  const _meta = { ...request.params._meta, ...relatedTask(taskId) };
  return request.method === "elicitation/create"
    ? { method: request.method, params: { ...request.params, _meta } }
    : { method: request.method, params: { ...request.params, _meta } };
}

/** Returns the notification of a task's state for a client of 2025-11-25. */
export function toStatusNotification(run: Run, pool: QuestionPool): Notification {
  const isAsking = pool.open(({ rootId }) => rootId === run.id).length > 0;
  return { method: "notifications/tasks/status", params: { ...toTask(run, isAsking) } };
}
