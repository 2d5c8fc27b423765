import { z } from "zod";
import { omitUndefined } from "../../omit-undefined.ts";
import { closedObject } from "../../source/closed-object.ts";
import { createTool, type Tool } from "../../tool/tool.ts";
import { taskIdSchema, taskIdsSchema, teamTextSchema } from "./board-input.ts";
import { openBoard, type TeamPort } from "./team-port.ts";

const input = closedObject({
  task: taskIdSchema,
  status: z
    .enum(["done", "failed", "open"])
    .optional()
    .describe("`open` gives the task back, or opens a failed one again."),
  result: teamTextSchema
    .optional()
    .describe("What the others must know; whoever claims a task that depends on it reads it."),
  dependsOn: taskIdsSchema.optional().describe("Replaces the tasks that must be done before."),
}).refine(
  ({ status, result, dependsOn }) => (status ?? result ?? dependsOn) !== undefined,
  "expected status, result or dependsOn",
);

/** Creates the `board_update` tool. */
export function createBoardUpdateTool(port: TeamPort): Tool {
  return createTool({
    name: "board_update",
    description:
      "Changes a task that you work on or that you added to the board: reports that it is done or failed, with its result; gives it back; or changes its dependencies.",
    access: "none",
    comesAfter: true,
    input,
    describe: ({ task, status }) => ({
      title: `Update ${task}${status === undefined ? "" : `: ${status}`}`,
      subject: task,
      paths: [],
    }),
    async execute({ task, status, result, dependsOn }, context) {
      const { board, author } = await openBoard(port, context);
      const changes = omitUndefined({ status, result, dependsOn });
      await board.make(() => ({ kind: "update" as const, task, ...changes }), author);
      const list =
        board
          .free()
          .map(({ id }) => id)
          .join(", ") || "none";
      return { text: `Task ${task} is updated. Free tasks: ${list}.`, output: { task } };
    },
  });
}
