import type { JsonValue } from "../source/json.ts";
import type { Failure } from "./failure.ts";
import type { Message } from "./message.ts";
import type { ApprovalAnswer, ApprovalRequest } from "./permission.ts";
import type { Reserved } from "./reserved.ts";
import type { RunResult } from "./result.ts";
import type { RunSpec } from "./run.ts";
import type { Usage } from "./usage.ts";

/** What a durable step does: ask the model, run a tool, or anything else the engine must remember. */
export type StepKind = "model" | "tool" | "note";

/**
 * What happened in a run, in order. The journal holds these and nothing else; every list, tree and summary is
 * computed from them.
 */
export type RunEventBody =
  | { type: "run-created"; spec: RunSpec }
  /** A process began to execute it: the first time, and again after every resume. */
  | { type: "run-started"; owner: string }
  /**
   * A call of a tool is about to be executed; one that has an effect is durable before it begins. Other steps are only
   * recorded when they are done: a run that has no call open is asking its model.
   */
  | { type: "step-started"; key: string; title: string; hasEffect: boolean }
  /** A step's value was recorded; it is never executed again. */
  | {
      type: "step-finished";
      key: string;
      kind: StepKind;
      value: JsonValue;
      usage?: Usage;
      cost?: number | null;
      durationMs: number;
    }
  | { type: "approval-requested"; request: ApprovalRequest }
  /** `seal` shows that the user of this machine gave the answer; one without is not believed after a resume. */
  | { type: "approval-answered"; stepKey: string; answer: ApprovalAnswer; seal?: string }
  /** A model is about to be asked, with so much of the budget set aside; durable before it is. Without a budget there is none. */
  | { type: "request-started"; key: string; reserved: Reserved }
  /** A request gave no reply: it was stopped, or failed. What it took all the same may be an estimate. */
  | { type: "request-failed"; key: string; usage: Usage; cost: number | null; isEstimate: boolean }
  | { type: "model-retried"; key: string; attempt: number; delayMs: number; reason: string }
  | { type: "conversation-compacted"; turn: number; removedCharacters: number }
  | { type: "warning-raised"; message: string }
  /** What it depended on has ended; it waits for its turn only. */
  | { type: "dependencies-settled" }
  /** Somebody has something to say to it. */
  | { type: "message-queued"; message: Message }
  /** The receipt: these are part of its conversation from the model step `step` on. */
  | { type: "messages-delivered"; step: string; messages: readonly Message[] }
  /** It got the results of these runs, which ran in the background, from a tool; they need no delivery any more. */
  | { type: "results-collected"; runIds: readonly string[] }
  /** It has nothing to do but to wait for these runs in the background. */
  | { type: "children-awaited"; runIds: readonly string[] }
  /** An attempt was not good, and the run begins anew. */
  | { type: "attempt-failed"; attempt: number; failure: Failure }
  /** An earlier result stands for its own: nothing was executed. */
  | { type: "result-reused"; from: string }
  /** Somebody asked for it to end; the end itself is `run-finished`. */
  | { type: "cancel-requested"; reason: string; by: string; keepDetached?: boolean }
  /** The one terminal event. */
  | { type: "run-finished"; result: RunResult };

/** One row of the journal. */
export type RunEvent = RunEventBody & {
  runId: string;
  /** 1, 2, 3 … within the run, without gaps. */
  seq: number;
  /** Epoch milliseconds, by the wall clock. */
  at: number;
  /** Milliseconds since the event before, by a clock that does not jump; absent for the first one a process writes. */
  elapsedMs?: number;
};

/** The name of an event. */
export type RunEventType = RunEventBody["type"];
