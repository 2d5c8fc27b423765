/** Changes to a conversation before the reply of a step, for resumed runs and for runs that continue it. */

import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { CompactSize, RunEvent } from "../../run/event.ts";
import { compactConversation } from "./compact.ts";
import { dropReasoning } from "./drop-reasoning.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** A change to a conversation: a compaction, or a change of the model. */
export type PromptChange =
  | { type: "compacted"; /** Absent in journals of earlier versions. */ size?: CompactSize }
  | { type: "model-changed" };

/** The changes before the reply of each model step, by its key, in their order. */
export type PromptChanges = ReadonlyMap<string, readonly PromptChange[]>;

/** The changes of a run that is executed for the first time. */
const noChanges: PromptChanges = new Map();

/** Reads the changes in a journal. */
export function readPromptChanges(events: readonly RunEvent[]): PromptChanges {
  if (events.length === 0) return noChanges;
  const changes = new Map<string, PromptChange[]>();
  let prefix = "";
  const add = (key: string, change: PromptChange): void => {
    changes.set(key, [...(changes.get(key) ?? []), change]);
  };
  for (const event of events) {
    if (event.type === "attempt-failed") prefix = `try/${event.attempt + 1}/`;
    if (event.type === "model-changed") add(event.key, { type: "model-changed" });
    if (event.type === "conversation-compacted") {
      const { turn, size } = event;
      add(`${prefix}model/${turn}`, { type: "compacted", ...omitUndefined({ size }) });
    }
  }
  return changes;
}

/** Repeats recorded changes of `prompt` in place. */
export function repeatChanges(
  prompt: LanguageModelV4Prompt,
  changes: readonly PromptChange[] = [],
): void {
  for (const change of changes) {
    if (change.type === "model-changed") dropReasoning(prompt);
    else if (change.size !== undefined) {
      prompt.splice(0, prompt.length, ...compactConversation(prompt, change.size).prompt);
    }
  }
}

/** Reports whether the journal holds the whole change. */
export function isRepeatable(change: PromptChange): boolean {
  return change.type === "model-changed" || change.size !== undefined;
}
