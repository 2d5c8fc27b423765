import { z } from "zod";
import { closedObject } from "../source/closed-object.ts";
import { defineTool, type Tool, type ToolOutcome } from "../tool/tool.ts";
import { nameOf, type SessionName, sessionName } from "./session-name.ts";
import {
  createFamilyScope,
  describeRunName,
  type SessionPort,
  type SessionScope,
} from "./session-scope.ts";

/** The arguments of `sessions_cancel`. */
export type SessionsCancelInput = SessionName & { reason?: string | undefined };

/** Checks the arguments of `sessions_cancel`. */
export const sessionsCancelInput: z.ZodType<SessionsCancelInput> = closedObject({
  ...sessionName,
  reason: z.string().min(1).max(1000).optional().describe("Why; kept with its result."),
}).refine((input) => nameOf(input) !== undefined, "expected runId or label, one of them");

/** What a model is told of the tool. */
export const sessionsCancelDescription: string =
  "Ends a run you started, and all it started itself. What it had said so far is kept.";

/** The `sessions_cancel` tool: ends a run that the caller started. */
export function createSessionsCancelTool(port: SessionPort): Tool {
  return defineTool({
    name: "sessions_cancel",
    description: sessionsCancelDescription,
    access: "delegate",
    input: sessionsCancelInput,
    describe: (input) => ({ title: `Cancel ${nameOf(input)}`, subject: "", paths: [] }),
    async execute(input, context) {
      const scope = createFamilyScope(port, context);
      return await context.yieldWhile(cancelSession(scope, input));
    },
  });
}

/** Ends a run of `scope` and its descendants. */
export async function cancelSession(
  scope: Pick<SessionScope, "find" | "cancel">,
  input: SessionsCancelInput,
): Promise<ToolOutcome> {
  const run = await scope.find(nameOf(input) ?? "");
  const isCancelled = await scope.cancel(run.id, input.reason ?? "not needed any more");
  const name = describeRunName(run);
  return {
    text: isCancelled ? `Cancelled: ${name}.` : `${name} had ended before.`,
    output: { runId: run.id, cancelled: isCancelled },
  };
}
