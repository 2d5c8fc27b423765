import { z } from "zod";
import { closedObject } from "../../source/closed-object.ts";
import type { ToolOutcome } from "../../tool/tool.ts";
import { describeRunName, type SessionScope } from "./session-scope.ts";
import type { SessionTool } from "./session-tool.ts";
import { sessionOf, type SessionName, sessionName } from "../family/session-name.ts";
import { sendResult } from "./tool-results.ts";

/** The arguments of `sessions_send`. */
export type SessionsSendInput = SessionName & { message: string };

const inputSchema: z.ZodType<SessionsSendInput> = closedObject({
  ...sessionName,
  message: z.string().regex(/\S/).max(100_000).describe("The message."),
}).refine((input) => sessionOf(input) !== undefined, "expected runId or label, one of them");

/** The `sessions_send` tool, which sends a message to a run that the caller started. */
export const sessionsSend: SessionTool<SessionsSendInput> = {
  name: "sessions_send",
  title: "Send a message to a run",
  description:
    "Sends a message to a run you started, which reads it before its next step: a correction, a hint, a new fact.",
  inputSchema,
  resultSchema: sendResult,
  access: "delegate",
  describe: (input) => ({ title: `Tell ${sessionOf(input)}`, subject: "" }),
  call: async (input, { scope }) => await sendToSession(scope, input),
};

/** Sends a message to a run of `scope`. */
async function sendToSession(scope: SessionScope, input: SessionsSendInput): Promise<ToolOutcome> {
  const run = await scope.find(sessionOf(input) ?? "");
  const messageId = await scope.send(run.id, input.message);
  const name = describeRunName(run);
  if (messageId === undefined) {
    return { text: `${name} has ended and receives no more messages.`, isError: true };
  }
  const text = `Sent to ${name}: it reads it before its next step.`;
  return { text, output: { runId: run.id, messageId } };
}
