import { isRecord, type JsonValue } from "../../source/json.ts";
import type { RunEvent } from "../../run/event.ts";

/** The states of a todo item. */
export const todoStatuses = ["pending", "in_progress", "completed"] as const;

/** An item of the todo list of a run. */
export interface Todo {
  content: string;
  status: (typeof todoStatuses)[number];
  /** What the agent does while the item is in progress, such as `Running tests`. */
  activeForm?: string;
}

/** A todo list as text. */
export interface DescribedTodos {
  /** One line, such as `1 of 3 done, now: Running tests`. */
  summary: string;
  /** A line for each item. */
  list: string;
}

/** Describes a run's current todo list, given its events; `undefined` without one. */
export function describeTodos(events: readonly RunEvent[]): DescribedTodos | undefined {
  return describe(events.map(todosOf).findLast((list) => list !== undefined));
}

/** Describes the list in the arguments of a `TodoWrite` call; `undefined` for an empty list and for other arguments. */
export function describeTodoCall(input: unknown): DescribedTodos | undefined {
  return describe(readTodos(input as JsonValue));
}

function describe(todos: readonly Todo[] = []): DescribedTodos | undefined {
  if (todos.length === 0) return undefined;
  return { summary: summarizeTodos(todos), list: listTodos(todos) };
}

/** Returns the todo list that an event sets; `undefined` for other events. */
function todosOf(event: RunEvent): readonly Todo[] | undefined {
  if (event.type !== "step-finished" || event.kind !== "tool") return undefined;
  const { value } = event;
  return isRecord(value) && value["isError"] !== true ? readTodos(value["output"]) : undefined;
}

function readTodos(value: JsonValue | undefined): readonly Todo[] | undefined {
  const todos = isRecord(value) ? value["todos"] : undefined;
  return Array.isArray(todos) && todos.every(isTodo) ? todos : undefined;
}

function isTodo(value: JsonValue | undefined): value is JsonValue & Todo {
  return (
    isRecord(value) &&
    typeof value["content"] === "string" &&
    todoStatuses.some((status) => status === value["status"]) &&
    ["string", "undefined"].includes(typeof value["activeForm"])
  );
}

/** Describes a todo list in one line, such as `1 of 3 done, now: Running tests`. */
export function summarizeTodos(todos: readonly Todo[]): string {
  const done = todos.filter(({ status }) => status === "completed").length;
  const now = todos.find(({ status }) => status === "in_progress");
  const doing = now === undefined ? "" : `, now: ${now.activeForm ?? now.content}`;
  return `${done} of ${todos.length} done${doing}`;
}

const marks = { pending: "[ ]", in_progress: "[>]", completed: "[x]" } as const;

/** Formats a todo list, one item a line. */
export function listTodos(todos: readonly Todo[]): string {
  return todos.map(({ content, status }) => `${marks[status]} ${content}`).join("\n");
}
