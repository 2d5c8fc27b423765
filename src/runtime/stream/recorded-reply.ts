import type { RecordedReply } from "../../engine/loop/turns.ts";
import type { ReplyPart } from "../../model/model.ts";
import { isRecord, type JsonValue } from "../../source/json.ts";

const finishes: readonly RecordedReply["finish"][] = [
  "stop",
  "tool-calls",
  "length",
  "content-filter",
];

/** Reads the reply that a model step recorded. Journals are untrusted, so parts with another shape are left out. */
export function readRecordedReply(value: JsonValue): Pick<RecordedReply, "parts" | "finish"> {
  const { parts, finish } = isRecord(value) ? value : {};
  return {
    parts: Array.isArray(parts) ? parts.filter(isReplyPart) : [],
    finish: finishes.find((one) => one === finish) ?? "stop",
  };
}

function isReplyPart(part: unknown): part is ReplyPart {
  if (!isRecord(part)) return false;
  const { type, text, id, tool, input } = part;
  if (type === "text" || type === "reasoning") return typeof text === "string";
  const isCall = typeof id === "string" && typeof tool === "string";
  if (type === "tool-call") return isCall && input !== undefined;
  return type === "malformed-tool-call" && isCall && typeof text === "string";
}

/** Reports whether `part` is a tool call. */
export function isCallPart(
  part: ReplyPart,
): part is Extract<ReplyPart, { type: "tool-call" | "malformed-tool-call" }> {
  return part.type === "tool-call" || part.type === "malformed-tool-call";
}
