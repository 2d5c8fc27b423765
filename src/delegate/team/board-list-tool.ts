import { CadreError } from "../../errors.ts";
import type { Run } from "../../run/run.ts";
import { closedObject } from "../../source/closed-object.ts";
import type { JsonObject } from "../../source/json.ts";
import { createTool, type Tool, type ToolOutcome } from "../../tool/tool.ts";
import { describeRunName } from "../tools/session-scope.ts";
import { taskIdSchema } from "./board-input.ts";
import { unknownTask } from "./board.ts";
import { describeTask, type NameRun, summarizeBoard } from "./describe-board.ts";
import type { LiveBoard } from "./live-board.ts";
import { openBoard, readMembers, type TeamPort } from "./team-port.ts";

/** Creates the `board_list` tool. */
export function createBoardListTool(port: TeamPort): Tool {
  return createTool({
    name: "board_list",
    description:
      "Lists the members of your team and the tasks on its board. With the id of a task: all about that task.",
    access: "none",
    comesAfter: true,
    input: closedObject({ task: taskIdSchema.optional().describe("Show this task whole.") }),
    describe: ({ task }) => ({
      title: task === undefined ? "List the board" : `Show the task ${task}`,
      subject: "",
      paths: [],
    }),
    async execute({ task }, context) {
      const { board } = await openBoard(port, context);
      const members = await readMembers(port.registry, context.caller.spec);
      const nameRun = namesOf(members);
      if (task === undefined) return listBoard(board, members, nameRun);
      const found = board.find(task);
      if (found === undefined) throw new CadreError("invalid-argument", unknownTask(board, task));
      const more = [found.details, found.result && `Result:\n${found.result}`];
      const parts = [describeTask(found, nameRun), ...more.filter(Boolean)];
      return { text: parts.join("\n\n"), output: { tasks: [found as unknown as JsonObject] } };
    },
  });
}

function listBoard(board: LiveBoard, members: readonly Run[], nameRun: NameRun): ToolOutcome {
  const tasks = board.tasks();
  const text = [
    "Members:",
    ...members.map((run) => `- ${describeRunName(run)}: ${run.status}`),
    "",
    tasks.length === 0 ? "The board is empty." : `Board: ${summarizeBoard(tasks)}.`,
    ...tasks.map((task) => `- ${describeTask(task, nameRun)}`),
  ];
  const output = {
    members: members.map(({ id, label, agent, status }) => ({ runId: id, label, agent, status })),
    tasks: tasks as unknown as JsonObject[],
  };
  return { text: text.join("\n"), output };
}

function namesOf(members: readonly Run[]): NameRun {
  const names = new Map(members.map((run) => [run.id, describeRunName(run)]));
  return (id) => names.get(id) ?? `run ${id}`;
}
