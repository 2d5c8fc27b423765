import type { ToolCall, ToolCallContent } from "@agentclientprotocol/sdk";
import type { CallContent, CallView } from "../editor/call-view.ts";

/** Describes a call without its status. */
export function toV1Call({ id, title, kind, paths, input, content }: CallView): ToolCall {
  return {
    toolCallId: id,
    title,
    kind,
    locations: paths.map((path) => ({ path })),
    rawInput: input,
    content: content.map(toV1Content),
  };
}

/** Converts a part of a call's view. */
export function toV1Content(content: CallContent): ToolCallContent {
  if (content.type === "text") return textContent(content.text);
  const { path, before = null, after } = content;
  return { type: "diff", path, oldText: before, newText: after };
}

/** Returns a text as the content of a call. */
export function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}
