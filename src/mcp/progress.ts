import type { Notification, ProgressToken } from "@modelcontextprotocol/server";
import { plainLine, type Run, type RunEvent } from "../index.ts";
import type { Call } from "./call.ts";
import type { Client } from "./client.ts";
import { relatedTask } from "./task-status.ts";

const longestMessage = 200;

/** After so long without news the last is said again: to clients that count the time, it is what keeps the call alive. */
const quietMs = 10_000;

/** Whom to tell, and how. */
export interface ProgressOptions {
  /** Absent when the client does not want to know. */
  token: ProgressToken | undefined;
  /** Whether the client looks after the run as a task of 2025-11-25. */
  isTask?: boolean;
  send: (notification: Notification) => Promise<void> | void;
}

/** Tells the client what the runs of a call do, if it wants to know. Returns the way to stop. */
export async function reportProgress(
  client: Client,
  call: Call,
  { token, isTask = false, send }: ProgressOptions,
): Promise<() => void> {
  if (token === undefined) return () => undefined;
  let progress = 0;
  let last: object = { message: "waiting" };

  function tell(): void {
    timer.refresh();
    progress += 1;
    const params = { progressToken: token, progress, ...last };
    // A client that has gone hears nothing; its runs go on.
    send({ method: "notifications/progress", params })?.catch(() => undefined);
  }

  const timer = setInterval(tell, quietMs).unref();
  const stop = (await client.cadre()).onEvent((event, run) => {
    const message = describeProgress(event, run);
    if (message === undefined || !call.concerns(run.rootId)) return;
    last = {
      message: plainLine(message, longestMessage),
      ...(isTask && { _meta: relatedTask(run.rootId) }),
    };
    tell();
  });
  return () => {
    clearInterval(timer);
    stop();
  };
}

/** What an event means to somebody who watches from far away; `undefined` = nothing. */
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
      return `${who}: asks the model again (${event.reason})`;
    case "approval-requested":
      return `${who}: asks whether it may ${event.request.title}`;
    case "warning-raised":
      return `${who}: ${event.message}`;
    case "run-finished":
      return `${who}: ${event.result.status}`;
    case "run-created":
    case "approval-answered":
    case "attempt-failed":
    case "cancel-requested":
    case "children-awaited":
    case "conversation-compacted":
    case "dependencies-settled":
    case "message-queued":
    case "request-started":
    case "request-failed":
    case "messages-delivered":
    case "result-reused":
    case "results-collected":
      return undefined;
  }
}
