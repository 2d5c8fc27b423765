import type { ToolContext } from "../../tool/tool.ts";
import { plainText } from "../plain-text.ts";
import type { ElicitAnswer, ElicitRequest, OnElicit } from "./elicitation.ts";

/** The call that a question belongs to. */
export interface AskingCall {
  /** The name of the called tool. */
  tool: string;
  context: Pick<ToolContext, "runId" | "stepKey" | "caller">;
  /** Aborts when the call has ended. */
  signal: AbortSignal;
}

/** Asks the user a question of one call. Declines it without a handler. A handler that throws gives no answer. */
export async function askInCall(
  onElicit: OnElicit | undefined,
  question: Omit<ElicitRequest, "callers">,
  { tool, context, signal }: AskingCall,
): Promise<ElicitAnswer> {
  if (onElicit === undefined) return { action: "decline" };
  const { runId, stepKey, caller } = context;
  const callers = [{ runId, stepKey, tool, chain: caller.spec.chain }];
  const message = plainText(question.message);
  try {
    return await onElicit({ ...question, callers, message }, signal);
  } catch {
    return { action: "cancel" };
  }
}
