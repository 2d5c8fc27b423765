import { CadreError } from "../../errors.ts";
import { closedObject } from "../../source/closed-object.ts";
import { createTool, type Tool, type ToolOutcome } from "../../tool/tool.ts";
import { taskIdSchema } from "./board-input.ts";
import { summarizeBoard } from "./describe-board.ts";
import type { LiveBoard } from "./live-board.ts";
import { openBoard, type TeamPort } from "./team-port.ts";

/** Creates the `board_claim` tool. */
export function createBoardClaimTool(port: TeamPort): Tool {
  return createTool({
    name: "board_claim",
    description:
      "Takes a task of your team's board, so that no other member gets it: the task that you name, or the one you already work on, or the next free one. Report its end with board_update.",
    access: "none",
    comesAfter: true,
    input: closedObject({
      task: taskIdSchema.optional().describe("The id of the task. Default: the next free one."),
    }),
    describe: ({ task }) => ({
      title: `Claim ${task ?? "a task"}`,
      subject: task ?? "",
      paths: [],
    }),
    async execute({ task }, context) {
      const { board, author } = await openBoard(port, context);
      const held = board.heldBy(author.runId, task);
      if (held !== undefined) return describeClaim(board, held.id);
      const choose = (): { kind: "claim"; task: string } => {
        const id = task ?? board.free()[0]?.id;
        if (id === undefined) throw nothingFree(board);
        return { kind: "claim", task: id };
      };
      const change = await board.make(choose, author);
      return describeClaim(board, change.task);
    },
  });
}

function describeClaim(board: LiveBoard, id: string): ToolOutcome {
  const { title = "", details, dependsOn = [] } = board.find(id) ?? {};
  const results = dependsOn.flatMap((one) => {
    const before = board.find(one);
    if (before?.result === undefined) return [];
    return [`Result of ${before.id} (${before.title}):\n${before.result}`];
  });
  const parts = [`You work on ${id}: ${title}`, details, ...results];
  const text = parts.filter((part) => part !== undefined).join("\n\n");
  return { text, output: { task: id } };
}

function nothingFree(board: LiveBoard): CadreError {
  const tasks = board.tasks();
  const open = tasks.some(({ status }) => status === "open" || status === "claimed");
  const advice = open
    ? " team_wait waits for one; board_list shows their dependencies."
    : " All tasks have ended.";
  const stand = tasks.length === 0 ? "The board is empty." : `Board: ${summarizeBoard(tasks)}.`;
  const message = `No task is free. ${stand}${tasks.length === 0 ? "" : advice}`;
  return new CadreError("invalid-argument", message);
}
