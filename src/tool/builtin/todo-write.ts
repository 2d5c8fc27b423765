import { z } from "zod";
import { listTodos, summarizeTodos, type Todo, todoStatuses } from "./todo-list.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { JsonObject } from "../../source/json.ts";
import { createTool, type Tool } from "../tool.ts";

const maxTodos = 100;
const line = z
  .string()
  .max(500)
  .regex(/^[^\n\r]*\S[^\n\r]*$/, "expected one line of text");

const todo = z.object({
  content: line.describe("What is to be done, such as `Run the tests`"),
  status: z.enum(todoStatuses),
  activeForm: line
    .optional()
    .describe("The same while it is in progress, such as `Running the tests`"),
});

function toTodos(given: readonly z.output<typeof todo>[]): Todo[] {
  return given.map(({ activeForm, ...rest }) => ({ ...rest, ...omitUndefined({ activeForm }) }));
}

const input = z.object({ todos: z.array(todo).max(maxTodos) });

/** Creates the `TodoWrite` tool, which replaces the todo list of a run. The journal and the views of the run show the list. */
export function createTodoWriteTool(): Tool {
  return createTool({
    name: "TodoWrite",
    description:
      "Replaces your todo list, which the user sees. Use it for work of three or more steps. Give the whole list each time. Keep one item in progress, and complete each item as soon as it is done.",
    access: "none",
    input,
    describe: ({ todos }) => ({
      title: `TodoWrite ${summarizeTodos(toTodos(todos))}`,
      subject: "",
      paths: [],
    }),
    async execute({ todos }) {
      const list = toTodos(todos);
      const text = list.length === 0 ? "The todo list is empty." : listTodos(list);
      return { text, output: { todos: list as unknown as JsonObject[] } };
    },
  });
}
