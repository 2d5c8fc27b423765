import type { FamilyFigures } from "../../run/figures.ts";
import type { RunStatus } from "../../run/run.ts";
import type { JsonValue } from "../../source/json.ts";

/** The data that an interface shows about a run, as data of its message. */
export interface UIMessageData {
  /** A child of the run, under its id: sent when it begins, and again when it has ended. */
  run: { runId: string; agent: string; task: string; label: string | null; status: RunStatus };
  /** A question that waits for the user; sent again with its answer. */
  approval: { tool: string; title: string; reason: string; decision: "allow" | "deny" | null };
  /** A message that the agent reads. */
  message: { from: string; text: string };
  /** The structured output. */
  output: JsonValue;
  /** The previous reply is void and is repeated, because its request or the whole attempt failed. */
  discarded: { reason: string };
  warning: { message: string };
}

/** Data about the whole message, with its end. */
export interface UIMessageMetadata extends Pick<
  FamilyFigures,
  "runs" | "turns" | "toolCalls" | "usage" | "cost"
> {
  runId: string;
  status: RunStatus;
}

/** A chunk with data: {@link UIMessageData} by its name. A later chunk with the same `id` replaces it. */
export type DataChunk = {
  [Name in keyof UIMessageData]: {
    type: `data-${Name}`;
    id?: string;
    data: UIMessageData[Name];
  };
}[keyof UIMessageData];

/** A chunk of the AI SDK's UI message stream (versions 6 and 7), of the kinds that runs have. */
export type UIMessageChunk =
  | { type: "start"; messageId: string }
  | { type: "start-step" | "finish-step" }
  | { type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; id: string }
  | { type: "text-delta" | "reasoning-delta"; id: string; delta: string }
  | { type: "tool-input-start"; toolCallId: string; toolName: string; dynamic: true }
  | { type: "tool-input-delta"; toolCallId: string; inputTextDelta: string }
  | {
      type: "tool-input-available";
      toolCallId: string;
      toolName: string;
      input: JsonValue;
      dynamic: true;
    }
  | { type: "tool-output-available"; toolCallId: string; output: JsonValue; dynamic: true }
  | { type: "tool-output-error"; toolCallId: string; errorText: string; dynamic: true }
  | DataChunk
  | { type: "error"; errorText: string }
  | { type: "abort"; reason: string }
  | { type: "finish"; finishReason: "stop" | "error"; messageMetadata: UIMessageMetadata };
