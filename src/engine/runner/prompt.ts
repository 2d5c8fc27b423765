import { hasTaskPlaceholder } from "../../agent/definition/inject-task.ts";
import { prepareTask } from "../prompt/compose-task.ts";
import { prepareInstructions } from "../prompt/instructions.ts";
import { readEnginePrompt } from "../prompt/read-engine-prompt.ts";
import type { RunContext } from "../run-context/run-context.ts";
import type { EarlierTurns } from "./earlier-turns.ts";

/** A finished turn: the prompt and the answer. */
export interface Exchange {
  asked: string;
  answered: string;
}

/** The conversation that a run continues. */
export interface EarlierConversation {
  exchanges: readonly Exchange[];
  /** The session of its last turn; absent when it cannot be continued. */
  sessionId?: string;
}

/** The beginning of a conversation with a runner. */
export interface Beginning {
  /** The first prompt. */
  prompt: string;
  /** The history that a runner must be told first when its session does not continue. */
  earlier: Exchange[];
}

/** Prepares the first prompt of a runner: instructions and task, or only the task when it continues a conversation. */
export async function prepareBeginning(
  run: RunContext,
  conversation: EarlierConversation | undefined,
): Promise<Beginning> {
  const task = await prepareTask(run);
  const [first, ...later] = conversation?.exchanges ?? [];
  if (first === undefined) return { prompt: await instruct(run, task), earlier: [] };
  const instructed = { ...first, asked: await instruct(run, first.asked) };
  return { prompt: task, earlier: [instructed, ...later] };
}

async function instruct(run: RunContext, task: string): Promise<string> {
  const instructions = await prepareInstructions(run, task);
  if (hasTaskPlaceholder(run.definition.systemPrompt)) return instructions;
  return `${instructions}\n\n# Task\n\n${task}`;
}

/** History for the prompt of a restarted runner. */
export interface MissingHistory {
  /** The earlier turns; empty when the session continues. */
  exchanges: readonly Exchange[];
  /** The turn that was interrupted. */
  interrupted: EarlierTurns;
}

/** Composes a prompt with the history that the runner lacks. */
export function composePrompt(asked: string, { exchanges, interrupted }: MissingHistory): string {
  const history = exchanges.flatMap((exchange) => [
    exchange.asked,
    `[You answered]:\n${exchange.answered}`,
  ]);
  const notice = interrupted.begun === 0 ? [] : [describeInterruptedTurn(interrupted)];
  return [...history, asked, ...notice].join("\n\n");
}

function describeInterruptedTurn({ calls }: EarlierTurns): string {
  const marks = { done: "done", failed: "failed", interrupted: "INTERRUPTED, effect unknown" };
  const list = calls.map(({ title, end }) => `- ${title}: ${marks[end]}`);
  const none = "- (no call of a tool was reported)";
  return `${readEnginePrompt("runner-interrupted")}\n\n${(list.length === 0 ? [none] : list).join("\n")}`;
}
