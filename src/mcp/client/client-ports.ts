import type { Ask, CadreOptions, OnElicit } from "../../host.ts";
import { readApproval, toApprovalQuestion } from "../question/approval-question.ts";
import { canElicit, canSample, canSampleWithTools } from "./capabilities.ts";
import type { Client } from "./client.ts";
import { readExtensionAnswer, toExtensionQuestion } from "../question/extension-question.ts";
import { createHostModel } from "./host-model.ts";
import type { HostRequest, QuestionPool } from "../question/question-pool.ts";
import { relateToTask, toStatusNotification } from "../task/task-status.ts";

/** Creates the callbacks through which runs reach their client. */
export function createPorts(
  client: Client,
  pool: QuestionPool,
): Required<Pick<CadreOptions, "onApproval" | "onElicit" | "fallbackModel">> {
  const rootOf = async (runId: string): Promise<string> => (await client.stateOf(runId)).rootId;
  const ask = async (
    request: HostRequest,
    rootId: string | null,
    signal: AbortSignal,
  ): Promise<unknown> => {
    const question = { client: client.name, rootId, request, signal };
    if (rootId === null || !client.tasks.has(rootId)) return await pool.ask(question);
    const answer = pool.ask({ ...question, request: relateToTask(request, rootId) });
    void notifyTask(client, rootId, pool);
    return await answer.finally(() => void notifyTask(client, rootId, pool));
  };

  const onApproval: Ask = async (request, signal) => {
    if (!canElicit(client.capabilities)) return cannotAsk;
    try {
      const rootId = await rootOf(request.runId);
      return readApproval(await ask(toApprovalQuestion(request), rootId, signal));
    } catch (error) {
      signal.throwIfAborted();
      return { decision: "deny", reason: `the client could not ask: ${String(error)}` };
    }
  };
  const onElicit: OnElicit = async (request, signal) => {
    if (!canElicit(client.capabilities)) return { action: "decline" };
    const [caller] = request.callers;
    const rootId = caller === undefined ? null : await rootOf(caller.runId);
    return readExtensionAnswer(await ask(toExtensionQuestion(request), rootId, signal));
  };
  const model = createHostModel({
    sample: (params, signal) => ask({ method: "sampling/createMessage", params }, null, signal),
    hasTools: () => canSampleWithTools(client.capabilities),
  });
  const fallbackModel = (): typeof model | undefined =>
    canSample(client.capabilities) ? model : undefined;
  return { onApproval, onElicit, fallbackModel };
}

const cannotAsk = {
  decision: "deny",
  reason: "the MCP client cannot ask its user (it does not offer elicitation)",
} as const;

/** Notifies the client that one of its tasks waits for an answer, or no longer does. */
async function notifyTask(client: Client, runId: string, pool: QuestionPool): Promise<void> {
  try {
    const run = await client.stateOf(runId);
    if (client.tasks.has(runId)) client.notify(toStatusNotification(run, pool));
  } catch {
    // Notifications are not guaranteed, and the server may be ending.
  }
}
