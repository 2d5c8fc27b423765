import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { userMessage } from "../../model/conversation.ts";
import type { ReplyPart } from "../../model/model.ts";
import { askHooks, isUnhooked } from "../run-context/ask-hooks.ts";
import type { RunContext } from "../run-context/run-context.ts";
import { modelKey } from "./model-key.ts";

/** Returns the messages that hooks add before the model request of a turn. */
export async function hookBeforeModel(
  run: RunContext,
  event: { turn: number; model: string; messages: number },
): Promise<LanguageModelV4Prompt> {
  if (isUnhooked(run)) return [];
  const key = modelKey(run, event.turn);
  const isPast = run.steps.isRecorded(key);
  return toMessages((await askHooks(run, { point: "beforeModel", key, event, isPast })).context);
}

/** Returns the messages that hooks add after the reply of `turn`. */
export async function hookAfterModel(
  run: RunContext,
  turn: number,
  parts: readonly ReplyPart[],
): Promise<LanguageModelV4Prompt> {
  if (isUnhooked(run)) return [];
  const key = modelKey(run, turn);
  const isPast = run.steps.isRecorded(modelKey(run, turn + 1));
  const step = { point: "afterModel", key, event: { turn, parts }, isPast } as const;
  return toMessages((await askHooks(run, step)).context);
}

/** Returns the message with which hooks keep a run from ending with the answer of `turn`, if they do. */
export async function hookBeforeEnd(
  run: RunContext,
  turn: number,
  answer: { text: string; isContinued: boolean },
): Promise<LanguageModelV4Prompt> {
  const isPast = run.steps.isRecorded(modelKey(run, turn + 1));
  const event = { turn, ...answer };
  const step = { point: "beforeEnd", key: modelKey(run, turn), event, isPast } as const;
  return toMessages((await askHooks(run, step)).continue);
}

/** Reports whether a hook keeps a conversation whole that is about to be compacted before the request of a turn. */
export async function hookBeforeCompaction(
  run: RunContext,
  event: { turn: number; model: string; messages: number },
): Promise<boolean> {
  const key = modelKey(run, event.turn);
  const isPast = run.steps.isRecorded(key);
  const step = { point: "beforeCompaction", key, event, isPast } as const;
  return (await askHooks(run, step)).keep === true;
}

/** Converts a text to a message to the model; empty without a text. */
export function toMessages(text: string | undefined): LanguageModelV4Prompt {
  return text === undefined ? [] : [userMessage(text)];
}
