import { diffOfTexts } from "../../terminal/edit-diff.ts";
import { cleanText } from "../../terminal/clean-text.ts";
import { describeTodoCall } from "../../../host.ts";

/** The parts of a call that are shown besides its tool. */
export interface ShownCall {
  /** The subject of the call, in one line. */
  subject: string;
  /** Lines below it: the change of an edit, or the todo list. */
  lines?: string[] | undefined;
}

/** Returns the parts of a call to show, as far as its arguments tell. Only the lines are cleaned. */
export function showCall(tool: string, input: unknown): ShownCall {
  if (tool === "TodoWrite") {
    const todos = describeTodoCall(input);
    if (todos !== undefined) {
      return { subject: todos.summary, lines: cleanText(todos.list).split("\n") };
    }
  }
  if (tool === "AskUser") {
    const questions = readQuestions(input);
    if (questions !== undefined) return { subject: questions.join(" ") };
  }
  return { subject: subjectOf(input), lines: changeOf(tool, input) };
}

/** Returns the questions of an `AskUser` call; `undefined` for other arguments. */
function readQuestions(input: unknown): string[] | undefined {
  const { questions } = (input ?? {}) as { questions?: unknown };
  if (!Array.isArray(questions)) return undefined;
  const texts = questions.map((one: { question?: unknown } | null) => one?.question);
  return texts.filter((text) => typeof text === "string");
}

/** Returns the subject of a call: its first text argument, or the task of a delegation. */
function subjectOf(input: unknown): string {
  if (typeof input !== "object" || input === null) return JSON.stringify(input ?? "");
  const given: Readonly<Record<string, unknown>> = { ...input };
  const first = Object.values(given).find((value) => typeof value === "string");
  const task = given["prompt"] ?? given["task"];
  const texts = new Set([first, task].filter((text) => typeof text === "string"));
  return texts.size === 0 ? JSON.stringify(input) : [...texts].join(": ");
}

/** Returns the change that an edit requests, as far as its arguments tell. */
function changeOf(tool: string, input: unknown): string[] | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  const given: Readonly<Record<string, unknown>> = { ...input };
  const [old, next] =
    tool === "Write" ? ["", given["content"]] : [given["old_string"], given["new_string"]];
  const isEdit = tool === "Write" || tool === "Edit";
  if (!isEdit || typeof old !== "string" || typeof next !== "string") return undefined;
  return diffOfTexts(cleanText(old), cleanText(next))?.filter((line) => !line.startsWith("@@"));
}
