import type { JsonValue } from "../source/json.ts";
import type { BoardChange } from "./shared/board-change.ts";
import type { LimitRaise } from "./budget.ts";
import type { Failure } from "./failure.ts";
import type { Message } from "./message.ts";
import type { ApprovalAnswer, ApprovalRequest, CallPermission } from "./permission.ts";
import type { Reserved } from "./reserved.ts";
import type { RecordedResult } from "./result.ts";
import type { RunSpec } from "./run.ts";
import type { Usage } from "./usage.ts";

/** The size to which a conversation is compacted, in estimated tokens. */
export interface CompactSize {
  /** Old tool results are removed down to this size. */
  target: number;
  /** Other content is shortened only above this size. */
  limit: number;
}

/** The kind of a durable step: a model request, a tool call, or another value the engine records. */
export type StepKind = "model" | "tool" | "note";

/**
 * An event of a run. The journal holds events only; every list, tree and summary is computed from them.
 */
export type RunEventBody =
  | { type: "run-created"; spec: RunSpec }
  /** A process began to execute the run, at its start or at a resume. `owner` is its `Registry.ownerId`. */
  | { type: "run-started"; owner: string }
  /**
   * A tool call is about to be executed. The event of a call with an effect is durable before the call begins. Other steps are
   * recorded only at their end, so a run without an open call is asking its model.
   */
  | {
      type: "step-started";
      key: string;
      title: string;
      hasEffect: boolean;
      /** The tool of a runner's call. The tool of a model's call is in the reply that made it. */
      tool?: string;
      /**
       * Why the call was allowed without a question. Absent = each level allows it by its mode; the event of a call that the user was
       * asked about follows `approval-answered`; journals of earlier versions never have it.
       */
      permission?: CallPermission;
    }
  /** A step's value was recorded; the step is never executed again. */
  | {
      type: "step-finished";
      key: string;
      kind: StepKind;
      value: JsonValue;
      usage?: Usage;
      cost?: number | null;
      durationMs: number;
      /**
       * The call has no `step-started` from this process: it was denied, or an earlier process was killed during the call. Absent
       * = it has one, or the journal is of an earlier version.
       */
      isUnstarted?: true;
      /** The commit with the files after the step. Only for steps with an effect in a family whose files are in git. */
      files?: string;
      /** Why the call was denied without a question and did not start. For a runner's call, why it was allowed or denied. */
      permission?: CallPermission;
      /** The warning about the denied call in the run's result. A result names only a few calls; absent = it does not name this one. */
      warning?: string;
    }
  | { type: "approval-requested"; request: ApprovalRequest }
  /** `seal` proves that the user of this machine gave the answer. A resume ignores an answer without a valid seal. */
  | {
      type: "approval-answered";
      stepKey: string;
      answer: ApprovalAnswer;
      seal?: string;
      /** The id of an answer from elsewhere. Absent = the program that executes the run gave the answer. */
      id?: string;
    }
  /** A model request that reserves a part of the budget is about to be sent. Durable before the request. Only with a budget. */
  | { type: "request-started"; key: string; reserved: Reserved }
  /** A model request ended without a reply. Its usage may be an estimate. */
  | { type: "request-failed"; key: string; usage: Usage; cost: number | null; isEstimate: boolean }
  | { type: "model-retried"; key: string; attempt: number; delayMs: number; reason: string }
  /**
   * Requests to the model `from` failed for good, and the next model takes over from the request of the step `key` on. Durable
   * before the first request to `to`. `reason` is the kind of the failure, such as `overloaded`; `message` describes it.
   */
  | {
      type: "model-changed";
      key: string;
      from: string;
      to: string;
      reason: string;
      message: string;
    }
  /**
   * The conversation was compacted before the request of `turn`. `size` lets a later run that continues this one repeat the
   * compaction. `summary` describes the removed content for display. Both are absent in journals of earlier versions.
   */
  | {
      type: "conversation-compacted";
      turn: number;
      removedCharacters: number;
      size?: CompactSize;
      summary?: string;
    }
  | { type: "warning-raised"; message: string }
  /**
   * The files of the family, in `folder`, were recorded as `commit` and pushed to `remote`, from which workers get them. Only for
   * roots. Durable before the workers receive the run.
   */
  | { type: "files-recorded"; remote: string; commit: string; folder: string }
  /** All dependencies have ended, and the run waits only for a slot. */
  | { type: "dependencies-settled" }
  /** A message to the run was accepted. */
  | { type: "message-queued"; message: Message }
  /** The messages are part of the conversation from the model step `step` on. */
  | { type: "messages-delivered"; step: string; messages: readonly Message[] }
  /** A tool returned the results of these background runs, so they are not delivered as messages. */
  | { type: "results-collected"; runIds: readonly string[] }
  /** The run waits only for these background runs. */
  | { type: "children-awaited"; runIds: readonly string[] }
  /** A change of the board of the run's team: the `number`th of its conversation, made by the step `key`. */
  | { type: "board-changed"; number: number; key: string; change: BoardChange }
  /** An attempt failed, and the run starts over. `warnings`: those of the attempt for the run's result; absent = none. */
  | { type: "attempt-failed"; attempt: number; failure: Failure; warnings?: readonly string[] }
  /** The run returned the cached result of the run `from`; nothing was executed. */
  | { type: "result-reused"; from: string }
  /** A cancellation of the run was requested. Its end is `run-finished`. */
  | { type: "cancel-requested"; reason: string; by: string; keepDetached?: boolean }
  /** The limits of the run were raised by these amounts. `id` names the request, which counts once. */
  | { type: "limits-raised"; id: string; raise: LimitRaise; by: string }
  /** The only terminal event. */
  | { type: "run-finished"; result: RecordedResult };

/** One row of the journal. */
export type RunEvent = RunEventBody & {
  runId: string;
  /** The position in the run: 1, 2, 3 … without gaps. */
  seq: number;
  /** Epoch milliseconds, by the wall clock. */
  at: number;
  /** Milliseconds since the previous event, by a monotonic clock; absent for the first event a process writes. */
  elapsedMs?: number;
};

/** The type of an event. */
export type RunEventType = RunEventBody["type"];

/** An event of the given type. */
export type EventOf<Type extends RunEventType> = Extract<RunEvent, { type: Type }>;
