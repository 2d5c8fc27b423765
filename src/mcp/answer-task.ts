import type {
  CallToolRequestParams,
  CallToolResult,
  ServerContext,
} from "@modelcontextprotocol/server";
import type { Run } from "../index.ts";
import type { Call } from "./call.ts";
import { canPoll, capabilitiesOf } from "./capabilities.ts";
import type { Client } from "./client.ts";
import { taskTools } from "./offered-tool.ts";
import { reportProgress } from "./progress.ts";
import { toExtensionTask, toTask } from "./task.ts";

/** What a host may tell its model while the task is at work. */
const immediateResponse = "io.modelcontextprotocol/model-immediate-response";

/** Whether the client wants to look after the run itself, instead of waiting for the answer. */
export function isForTask({ name, task }: CallToolRequestParams, ctx: ServerContext): boolean {
  const capabilities = capabilitiesOf(ctx);
  return capabilities === undefined
    ? task !== undefined
    : taskTools.has(name) && canPoll(capabilities);
}

/** The run as a task, as soon as there is one. */
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
  // The protocol wants it beside what makes it a task.
  const content: CallToolResult["content"] = [];
  if (isModern) return { content, resultType: "task", ...toExtensionTask(run) };
  if (run.result === null) client.tasks.add(run.id);
  return { content, task: toTask(run), _meta: { [immediateResponse]: describeBegun(run) } };
}

function describeBegun({ agent, id }: Run): string {
  return `${agent} is at work as run ${id}. sessions_wait with this id gives the result.`;
}

/** The progress of a task, for as long as it is at work; the request that began it is answered by then. */
async function reportTaskProgress(
  client: Client,
  call: Call,
  { mcpReq }: ServerContext,
): Promise<void> {
  const stop = await reportProgress(client, call, {
    token: mcpReq._meta?.progressToken,
    isTask: true,
    send: (notification) => client.tell(notification),
  });
  call.outcome.then(stop, stop);
}
