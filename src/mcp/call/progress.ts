import type { Notification, ProgressToken } from "@modelcontextprotocol/server";
import { describeModelChange, plainLine, type Run, type RunEvent } from "../../host.ts";
import type { Call } from "../client/call.ts";
import type { Client } from "../client/client.ts";
import { relatedTask } from "../task/task-status.ts";

const maxMessageLength = 200;

/** The time after which the last progress is repeated, in milliseconds: it keeps the call alive in clients with a timeout. */
const quietMs = 10_000;

/** The receiver of progress. */
export interface ProgressOptions {
  /** Absent when the client requested no progress. */
  token: ProgressToken | undefined;
  /** Whether the client takes the run as a task of 2025-11-25. */
  isTask?: boolean;
  send: (notification: Notification) => Promise<void> | void;
}

/** Sends the client the progress of a call's runs, if it requested progress. Returns a function that stops the reports. */
export async function reportProgress(
  client: Client,
  call: Call,
  { token, isTask = false, send }: ProgressOptions,
): Promise<() => void> {
  if (token === undefined) return () => undefined;
  let progress = 0;
  let last: object = { message: "waiting" };

  function sendProgress(): void {
    timer.refresh();
    progress += 1;
    const params = { progressToken: token, progress, ...last };
    // Runs continue after their client disconnects.
    send({ method: "notifications/progress", params })?.catch(() => undefined);
  }

  const timer = setInterval(sendProgress, quietMs).unref();
  const stop = (await client.cadre()).onEvent((event, run) => {
    const message = describeProgress(event, run);
    if (message === undefined || !call.concerns(run.rootId)) return;
    last = {
      message: plainLine(message, maxMessageLength),
      ...(isTask && { _meta: relatedTask(run.rootId) }),
    };
    sendProgress();
  });
  return () => {
    clearInterval(timer);
    stop();
  };
}

/** Returns the progress message for an event; `undefined` for events without one. */
function describeProgress(
  event: RunEvent,
  { id, parentId, label, agent, own, attempts }: Run,
): string | undefined {
  const who = label ?? agent;
  switch (event.type) {
    case "run-started":
      return `${who}: ${attempts > 1 ? "goes on" : "begins"}${parentId === null ? ` as run ${id}` : ""}`;
    case "step-started":
      return `${who}: ${event.title}`;
    case "step-finished":
      return event.kind === "model" ? `${who}: turn ${own.turns}` : undefined;
    case "model-retried":
      return `${who}: retries the model request (${event.reason})`;
    case "model-changed":
      return `${who}: ${describeModelChange(event)}`;
    case "approval-requested":
      return `${who}: asks whether it may ${event.request.title}`;
    case "warning-raised":
      return `${who}: ${event.message}`;
    case "run-finished":
      return `${who}: ${event.result.status}`;
    case "run-created":
    case "approval-answered":
    case "attempt-failed":
    case "board-changed":
    case "cancel-requested":
    case "children-awaited":
    case "conversation-compacted":
    case "dependencies-settled":
    case "files-recorded":
    case "limits-raised":
    case "message-queued":
    case "request-started":
    case "request-failed":
    case "messages-delivered":
    case "result-reused":
    case "results-collected":
      return undefined;
  }
}
