import { z } from "zod";
import { closedObject } from "../source/closed-object.ts";
import { defineTool, type Tool, type ToolOutcome } from "../tool/tool.ts";
import {
  createFamilyScope,
  describeRunName,
  type SessionPort,
  type SessionScope,
} from "./session-scope.ts";
import { nameOf, type SessionName, sessionName } from "./session-name.ts";

/** The arguments of `sessions_send`. */
export type SessionsSendInput = SessionName & { message: string };

/** Checks the arguments of `sessions_send`. */
export const sessionsSendInput: z.ZodType<SessionsSendInput> = closedObject({
  ...sessionName,
  message: z.string().regex(/\S/).max(100_000).describe("What it should hear."),
}).refine((input) => nameOf(input) !== undefined, "expected runId or label, one of them");

/** What a model is told of the tool. */
export const sessionsSendDescription: string =
  "Says something to a run you started, which hears it before its next step: a correction, a hint, a new fact.";

/** The `sessions_send` tool: steers a run that the caller started. */
export function createSessionsSendTool(port: SessionPort): Tool {
  return defineTool({
    name: "sessions_send",
    description: sessionsSendDescription,
    access: "delegate",
    input: sessionsSendInput,
    describe: (input) => ({ title: `Tell ${nameOf(input)}`, subject: "", paths: [] }),
    execute: async (input, context) => await sendToSession(createFamilyScope(port, context), input),
  });
}

/** Says something to a run of `scope`. */
export async function sendToSession(
  scope: Pick<SessionScope, "find" | "send">,
  input: SessionsSendInput,
): Promise<ToolOutcome> {
  const run = await scope.find(nameOf(input) ?? "");
  const messageId = await scope.send(run.id, input.message);
  const name = describeRunName(run);
  if (messageId === undefined) {
    return { text: `${name} has ended and hears nothing any more.`, isError: true };
  }
  const text = `Sent to ${name}: it hears it before its next step.`;
  return { text, output: { runId: run.id, messageId } };
}
