import type { ModelReply } from "../../model/model.ts";
import type { Failure } from "../../run/failure.ts";
import type { ApprovalAnswer, ApprovalRequest } from "../../run/permission.ts";
import type { RecordedResult } from "../../run/result.ts";
import type { Usage } from "../../run/usage.ts";
import type { JsonValue } from "../../source/json.ts";

/**
 * A part of the output of a run. Parts of one run come in order. `text`, `reasoning` and `tool-input` are pieces; pieces with the
 * same `id` belong together.
 */
export type RunStreamPart = { runId: string } &
  /** The run, or a child, exists. `step` is the step of the parent that requested it. */
  (
    | {
        type: "run-created";
        parentId: string | null;
        step: string | null;
        agent: string;
        task: string;
        label: string | null;
      }
    /** A piece of a text or of reasoning. `step` is the key of the step that records the reply. */
    | { type: "text" | "reasoning"; id: string; step: string; text: string }
    /**
     * A piece of the arguments of a tool call. All pieces together are JSON. Sent only while they arrive: the `tool-call` has all
     * of them. The first piece may be empty. `id` is the id of the call.
     */
    | { type: "tool-input"; id: string; step: string; tool: string; text: string }
    /** A complete tool call. `input` is a text when the arguments are not JSON. `id` is unique in the run. */
    | { type: "tool-call"; id: string; tool: string; input: JsonValue }
    /**
     * A piece of the output of a command. Sent only while it arrives: the `tool-result` has the output. A slow reader gets the
     * end of the part that it missed, and the number of characters that were left out.
     */
    | { type: "tool-output"; id: string; text: string }
    /** The result that the model gets for a call. `output` is the same as data, for tools that return data. */
    | { type: "tool-result"; id: string; text: string; isError: boolean; output?: JsonValue }
    /** A reply is complete; `length`: it was cut at the output limit. `cost` is in US dollars, `null` when the price is unknown. */
    | {
        type: "reply-finished";
        step: string;
        finish: ModelReply["finish"];
        usage: Usage | null;
        cost: number | null;
      }
    /** The pieces of this reply so far are void: its request failed and is repeated. */
    | { type: "reply-discarded"; step: string; reason: string }
    /** The run waits for an answer from the user. */
    | { type: "approval-requested"; request: ApprovalRequest }
    | { type: "approval-answered"; step: string; answer: ApprovalAnswer }
    /** The agent reads a message: from the user, from another agent, or the result of a background run. */
    | { type: "message"; id: string; from: string; text: string }
    | { type: "warning"; message: string }
    /** An attempt failed, and the run starts over. */
    | { type: "attempt-failed"; attempt: number; failure: Failure }
    /** The run, or a child, ended. No further part of it follows. */
    | { type: "run-finished"; result: RecordedResult }
  );
