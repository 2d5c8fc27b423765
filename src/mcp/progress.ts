import type { ServerContext } from "@modelcontextprotocol/server";
import { plainLine, type Run, type RunEvent } from "../index.ts";
import type { Call } from "./call.ts";
import type { Client } from "./client.ts";

const longestMessage = 200;

/** Tells the client what the runs of a call do, if it wants to know. Returns the way to stop. */
export async function reportProgress(
  client: Client,
  call: Call,
  { mcpReq }: ServerContext,
): Promise<() => void> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  let progress = 0;
  return (await client.cadre()).onEvent((event, run) => {
    const message = describeProgress(event, run);
    if (message === undefined || !call.concerns(run.rootId)) return;
    progress += 1;
    const params = { progressToken, progress, message: plainLine(message, longestMessage) };
    // A client that has gone hears nothing; its runs go on.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  });
}

/** What an event means to somebody who watches from far away; `undefined` = nothing. */
function describeProgress(
  event: RunEvent,
  { label, agent, turns, attempts }: Run,
): string | undefined {
  const who = label ?? agent;
  switch (event.type) {
    case "run-started":
      return `${who}: ${attempts > 1 ? "goes on" : "begins"}`;
    case "step-started":
      return `${who}: ${event.title}`;
    case "step-finished":
      return event.kind === "model" ? `${who}: turn ${turns}` : undefined;
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
    case "messages-delivered":
    case "result-reused":
    case "results-collected":
      return undefined;
  }
}
