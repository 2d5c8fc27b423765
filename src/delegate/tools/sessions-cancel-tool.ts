import { z } from "zod";
import { closedObject } from "../../source/closed-object.ts";
import type { ToolOutcome } from "../../tool/tool.ts";
import { sessionOf, type SessionName, sessionName } from "../family/session-name.ts";
import { describeRunName, type SessionScope } from "./session-scope.ts";
import type { SessionTool } from "./session-tool.ts";
import { cancelResult } from "./tool-results.ts";

/** The arguments of `sessions_cancel`. */
export type SessionsCancelInput = SessionName & { reason?: string | undefined };

const inputSchema: z.ZodType<SessionsCancelInput> = closedObject({
  ...sessionName,
  reason: z.string().min(1).max(1000).optional().describe("The reason, recorded with its result."),
}).refine((input) => sessionOf(input) !== undefined, "expected runId or label, one of them");

/** The `sessions_cancel` tool, which ends a run that the caller started. */
export const sessionsCancel: SessionTool<SessionsCancelInput> = {
  name: "sessions_cancel",
  title: "Cancel a run",
  description: "Ends a run you started, and its descendants. Its text so far is kept.",
  inputSchema,
  resultSchema: cancelResult,
  access: "delegate",
  isWaiting: true,
  describe: (input) => ({ title: `Cancel ${sessionOf(input)}`, subject: "" }),
  call: async (input, { scope }) => await cancelSession(scope, input),
};

/** Ends a run of `scope` and its descendants. */
async function cancelSession(
  scope: SessionScope,
  input: SessionsCancelInput,
): Promise<ToolOutcome> {
  const run = await scope.find(sessionOf(input) ?? "");
  const isCancelled = await scope.cancel(run.id, input.reason ?? "no longer needed");
  const name = describeRunName(run);
  return {
    text: isCancelled ? `Cancelled: ${name}.` : `${name} had already ended.`,
    output: { runId: run.id, cancelled: isCancelled },
  };
}
