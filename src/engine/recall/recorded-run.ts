import type { Registry } from "../../registry/registry.ts";
import type { Message } from "../../run/message.ts";
import type { JsonValue } from "../../source/json.ts";
import { type PromptChanges, readPromptChanges } from "../conversation/prompt-changes.ts";
import { instructionsIn } from "../prompt/instructions.ts";
import { createInbox, type Inbox } from "../run-context/inbox.ts";
import type { EarlierRun } from "./earlier-runs.ts";

/** The records of an ended run's last attempt. */
export interface RunRecord extends Pick<EarlierRun, "spec" | "result"> {
  /** The prefix of the attempt's step keys. */
  prefix: string;
  task: string;
  instructions: string | undefined;
  /** Read-only: all its messages have arrived. */
  inbox: Inbox;
  /** The values of finished steps by key. */
  values: ReadonlyMap<string, JsonValue>;
  /** The titles of started calls, by key. */
  begun: ReadonlyMap<string, string>;
  changes: PromptChanges;
  /** Returns those of `messages`, which the run did not answer, that the next turn does not begin with. */
  withoutRepeated: (messages: readonly Message[]) => Message[];
}

/** Reads the journal of an ended run. */
export function readRecord(earlier: EarlierRun, registry: Registry): RunRecord {
  const { spec, result, events, nextTask } = earlier;
  const failed = events.findLast((event) => event.type === "attempt-failed");
  const prefix = failed === undefined ? "" : `try/${failed.attempt + 1}/`;
  const values = new Map<string, JsonValue>();
  const begun = new Map<string, string>();
  for (const event of events) {
    if (event.type === "step-finished") values.set(event.key, event.value);
    if (event.type === "step-started") begun.set(event.key, event.title);
  }
  const changes = readPromptChanges(events);
  const inbox = createInbox(registry, spec.id);
  inbox.restore(events);
  const composed = values.get(`${prefix}task`);
  const task = typeof composed === "string" ? composed : spec.task;
  const recorded = values.get(`${prefix}instructions`);
  const instructions = recorded === undefined ? undefined : instructionsIn(recorded);
  const withoutRepeated = (messages: readonly Message[]): Message[] =>
    messages.filter((message) => !repeats(nextTask, message));
  return {
    spec,
    result,
    prefix,
    task,
    instructions,
    inbox,
    values,
    begun,
    changes,
    withoutRepeated,
  };
}

/** Reports whether paragraphs of `task` are the message: a conversation sends its unanswered messages again as the next task. */
function repeats(task: string, { kind, text }: Message): boolean {
  return kind === "steering" && `\n\n${task}\n\n`.includes(`\n\n${text}\n\n`);
}
