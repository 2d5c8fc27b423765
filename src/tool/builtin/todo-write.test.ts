import { expect, test } from "vitest";
import { createToolFixture } from "../../../test/fixtures/tool-call.ts";
import { createTodoWriteTool } from "./todo-write.ts";

const todos = [
  { content: "Read the code", status: "completed", activeForm: "Reading the code" },
  { content: "Run the tests", status: "in_progress", activeForm: "Running the tests" },
  { content: "Write docs", status: "pending" },
];

test("the list is the outcome, as text and as data, and the title shows the progress", async () => {
  const tool = createTodoWriteTool();
  expect(tool.access).toBe("none");
  const { call, workspace } = createToolFixture();
  expect(tool.prepare({ todos }, { workspace })).toMatchObject({
    title: "TodoWrite 1 of 3 done, now: Running the tests",
  });
  expect(await call(tool, { todos })).toEqual({
    text: "[x] Read the code\n[>] Run the tests\n[ ] Write docs",
    output: { todos },
  });
  expect(await call(tool, { todos: [] })).toMatchObject({ text: "The todo list is empty." });
});

test.each([
  [{ todos: [{ content: "a", status: "done" }] }, "todos.0.status"],
  [{ todos: [{ content: "two\nlines", status: "pending" }] }, "todos.0.content"],
  [{ todos: [{ content: " ", status: "pending" }] }, "todos.0.content"],
  [{ todos: Array.from({ length: 101 }, () => todos[0]) }, "todos"],
  [{ todos: "all" }, "todos"],
])("arguments such as %j are refused with the place", async (input, place) => {
  const { text, isError } = await createToolFixture().call(createTodoWriteTool(), input);
  expect(isError).toBe(true);
  expect(text).toContain(`- ${place}: `);
});
