import { hasTaskPlaceholder } from "../../agent/inject-task.ts";
import { prepareTask } from "../compose-task.ts";
import { prepareInstructions, readPrompt } from "../instructions.ts";
import type { Session } from "../session.ts";
import type { Past } from "./past.ts";

/** A turn that has ended: what the runner was asked, and what it answered. */
export interface Exchange {
  asked: string;
  answered: string;
}

/** What a runner is asked first: instructions and task in one. */
export async function prepareFirstPrompt(session: Session): Promise<string> {
  const task = await prepareTask(session);
  const instructions = await prepareInstructions(session, task);
  if (hasTaskPlaceholder(session.definition.systemPrompt)) return instructions;
  return `${instructions}\n\n# Task\n\n${task}`;
}

/** What a runner is told with a prompt that it cannot know, having been started anew. */
export interface Missing {
  /** The turns before, unless its session goes on. */
  earlier: readonly Exchange[];
  past: Past;
}

/** A prompt with all that the runner has to know. */
export function composePrompt(asked: string, { earlier, past }: Missing): string {
  const told = earlier.flatMap((exchange) => [
    exchange.asked,
    `[You answered]:\n${exchange.answered}`,
  ]);
  const notice = past.begun === 0 ? [] : [describePast(past)];
  return [...told, asked, ...notice].join("\n\n");
}

function describePast({ calls }: Past): string {
  const marks = { done: "done", failed: "failed", interrupted: "INTERRUPTED, effect unknown" };
  const list = calls.map(({ title, end }) => `- ${title}: ${marks[end]}`);
  const none = "- (no call of a tool was reported)";
  return `${readPrompt("runner-interrupted")}\n\n${(list.length === 0 ? [none] : list).join("\n")}`;
}
