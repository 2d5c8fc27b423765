import type { Registry } from "../../registry/registry.ts";
import type { CompactSize } from "../../run/event.ts";
import type { JsonValue } from "../../source/json.ts";
import { instructionsIn } from "../prompt/instructions.ts";
import { createInbox, type Inbox } from "../run-context/inbox.ts";
import type { EarlierRun } from "./earlier-runs.ts";

/** What an ended run recorded, of its last attempt. */
export interface RunRecord extends Pick<EarlierRun, "spec" | "result"> {
  /** The prefix of the attempt's step keys. */
  prefix: string;
  task: string;
  instructions: string | undefined;
  /** Only reads: all its messages have arrived. */
  inbox: Inbox;
  /** The values of finished steps by key. */
  values: ReadonlyMap<string, JsonValue>;
  /** The titles of calls that began, by key. */
  begun: ReadonlyMap<string, string>;
  /** How the conversation was shortened before the request of a turn. */
  compactions: ReadonlyMap<number, readonly CompactSize[]>;
}

/** Reads the journal of an ended run. */
export function readRecord({ spec, result, events }: EarlierRun, registry: Registry): RunRecord {
  const failed = events.findLast((event) => event.type === "attempt-failed");
  const prefix = failed === undefined ? "" : `try/${failed.attempt + 1}/`;
  const values = new Map<string, JsonValue>();
  const begun = new Map<string, string>();
  const compactions = new Map<number, CompactSize[]>();
  for (const event of events) {
    if (event.type === "step-finished") values.set(event.key, event.value);
    if (event.type === "step-started") begun.set(event.key, event.title);
    if (event.type === "attempt-failed") compactions.clear();
    if (event.type === "conversation-compacted" && event.size !== undefined) {
      compactions.set(event.turn, [...(compactions.get(event.turn) ?? []), event.size]);
    }
  }
  const inbox = createInbox(registry, spec.id);
  inbox.restore(events);
  const composed = values.get(`${prefix}task`);
  const task = typeof composed === "string" ? composed : spec.task;
  const recorded = values.get(`${prefix}instructions`);
  const instructions = recorded === undefined ? undefined : instructionsIn(recorded);
  return { spec, result, prefix, task, instructions, inbox, values, begun, compactions };
}
