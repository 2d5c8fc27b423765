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
    "Sends a message to a run you started. An active run reads it before its next step: a correction, a hint, a new fact. An ended run continues with it in the background, with everything it knows, and its new result reaches you like that of any background run. The same id or label names it afterwards.",
  inputSchema,
  resultSchema: sendResult,
  access: "delegate",
  describe: (input) => ({ title: `Tell ${sessionOf(input)}`, subject: "" }),
  call: async (input, { scope }) => await sendToSession(scope, input),
};

/** Sends a message to a run of `scope`. */
async function sendToSession(scope: SessionScope, input: SessionsSendInput): Promise<ToolOutcome> {
  const run = await scope.find(sessionOf(input) ?? "");
  const sent = await scope.send(run.id, input.message);
  const name = describeRunName(run);
  if ("messageId" in sent) {
    const text = `Sent to ${name}, which reads it before its next step.`;
    return { text, output: { runId: run.id, messageId: sent.messageId } };
  }
  const { continuedAs } = sent;
  const text = `${name} had ended. It continues with your message in the background, as run ${continuedAs}.`;
  return { text, output: { runId: run.id, continuedAs } };
}
