import { z } from "zod";
import { omitUndefined } from "../../omit-undefined.ts";
import type { NewBoardTask } from "../../run/shared/board-change.ts";
import { closedObject } from "../../source/closed-object.ts";
import { createTool, type Tool } from "../../tool/tool.ts";
import { taskIdSchema, taskIdsSchema, taskTitleSchema, teamTextSchema } from "./board-input.ts";
import type { LiveBoard } from "./live-board.ts";
import { openBoard, type TeamPort } from "./team-port.ts";

const newTask = closedObject({
  id: taskIdSchema.optional().describe("A name for dependsOn. Default: t1, t2, …"),
  title: taskTitleSchema.describe("What is to be done, in one line."),
  details: teamTextSchema.optional().describe("All that whoever claims it must know."),
  dependsOn: taskIdsSchema.optional().describe("The ids of the tasks that must be done before."),
});

/** Creates the `board_add` tool. */
export function createBoardAddTool(port: TeamPort): Tool {
  return createTool({
    name: "board_add",
    description:
      "Adds tasks to the board of your team. All members see them and can claim them. A task with dependsOn can be claimed once those tasks are done; they may be of the same call.",
    access: "none",
    comesAfter: true,
    input: closedObject({ tasks: z.array(newTask).min(1).max(100) }),
    describe: ({ tasks }) => ({
      title: `Add to the board: ${tasks.map(({ title }) => title).join("; ")}`,
      subject: "",
      paths: [],
    }),
    async execute({ tasks }, context) {
      const { board, author } = await openBoard(port, context);
      const { tasks: added } = await board.make(
        () => ({ kind: "add" as const, tasks: nameTasks(board, tasks) }),
        author,
      );
      const lines = added.map(({ id, title }) => `- ${id}: ${title}`);
      const output = { tasks: added.map(({ id }) => id) };
      return { text: ["Added to the board:", ...lines].join("\n"), output };
    },
  });
}

/** Names each task without an id after its number on the board. */
function nameTasks(
  board: Pick<LiveBoard, "tasks">,
  tasks: readonly z.output<typeof newTask>[],
): NewBoardTask[] {
  const known = board.tasks();
  const taken = new Set([...known, ...tasks].map(({ id }) => id));
  const numberFrom = (first: number): string => {
    let number = first;
    while (taken.has(`t${number}`)) number += tasks.length;
    return `t${number}`;
  };
  return tasks.map(({ id, title, details, dependsOn }, index) => ({
    id: id ?? numberFrom(known.length + index + 1),
    title,
    ...omitUndefined({ details, dependsOn }),
  }));
}
