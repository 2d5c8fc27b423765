import type { PlanItem } from "../editor/editor.ts";

const statuses = ["pending", "in_progress", "completed"] as const;

/** Returns the plan that a `TodoWrite` call with this input writes; `undefined` for an input without a list. */
export function readPlan(input: unknown): PlanItem[] | undefined {
  const hasTodos = typeof input === "object" && input !== null && "todos" in input;
  if (!hasTodos || !Array.isArray(input.todos)) return undefined;
  return (input.todos as unknown[]).flatMap(toItem);
}

function toItem(todo: unknown): PlanItem[] {
  if (typeof todo !== "object" || todo === null || !("content" in todo)) return [];
  const given: Readonly<Record<string, unknown>> = { ...todo };
  const status = statuses.find((one) => one === given["status"]) ?? "pending";
  return [{ content: String(todo.content), priority: "medium", status }];
}
