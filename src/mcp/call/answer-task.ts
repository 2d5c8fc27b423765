import type {
  CallToolRequestParams,
  CallToolResult,
  ServerContext,
} from "@modelcontextprotocol/server";
import type { Run } from "../../host.ts";
import type { Call } from "../client/call.ts";
import { canPoll, capabilitiesOf } from "../client/capabilities.ts";
import type { Client } from "../client/client.ts";
import { taskTools } from "./offered-tool.ts";
import { reportProgress } from "./progress.ts";
import { toExtensionTask, toTask } from "../task/task.ts";

/** A message for the client's model while the task is active. */
const immediateResponse = "io.modelcontextprotocol/model-immediate-response";

/** Reports whether the client wants a task instead of waiting for the result. */
export function isForTask({ name, task }: CallToolRequestParams, ctx: ServerContext): boolean {
  const capabilities = capabilitiesOf(ctx);
  return capabilities === undefined
    ? task !== undefined
    : taskTools.has(name) && canPoll(capabilities);
}

/** Returns the run as a task as soon as it exists. */
export async function answerTask(
  client: Client,
  call: Call,
  ctx: ServerContext,
): Promise<CallToolResult> {
  const isModern = capabilitiesOf(ctx) !== undefined;
  if (!isModern) await reportTaskProgress(client, call, ctx);
  const first = await Promise.race([call.begun, call.outcome]);
  if (typeof first !== "string") return first;
  const run = await client.stateOf(first);
  // The protocol requires this field in addition to the task.
  const content: CallToolResult["content"] = [];
  if (isModern) return { content, resultType: "task", ...toExtensionTask(run) };
  if (run.result === null) client.tasks.add(run.id);
  return { content, task: toTask(run), _meta: { [immediateResponse]: describeBegun(run) } };
}

function describeBegun({ agent, id }: Run): string {
  return `${agent} is running as run ${id}. sessions_wait with this id returns the result.`;
}

/** Sends the progress of an active task after the server has answered the request that started it. */
async function reportTaskProgress(
  client: Client,
  call: Call,
  { mcpReq }: ServerContext,
): Promise<void> {
  const stop = await reportProgress(client, call, {
    token: mcpReq._meta?.progressToken,
    isTask: true,
    send: (notification) => client.notify(notification),
  });
  call.outcome.then(stop, stop);
}
