import type {
  DiffChange,
  ToolCallContent,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk/experimental/v2";
import type { CallContent, CallView } from "../editor/call-view.ts";
import { toGitPatch } from "./git-patch.ts";

/** Describes a call without its status. */
export function toV2Call(call: CallView): ToolCallUpdate {
  const { id, tool, title, kind, paths, input, content, parentId } = call;
  return {
    toolCallId: id,
    name: tool,
    title,
    kind,
    locations: paths.map((path) => ({ path })),
    rawInput: input,
    content: content.map(toV2Content),
    ...(parentId !== undefined && { _meta: { parentToolCallId: parentId } }),
  };
}

/** Converts a part of a call's view. */
export function toV2Content(content: CallContent): ToolCallContent {
  if (content.type === "text") {
    return { type: "content", content: { type: "text", text: content.text } };
  }
  const { path, before } = content;
  const change: DiffChange =
    before === null ? { operation: "add", path } : { operation: "modify", path };
  const patch = toGitPatch(content);
  return {
    type: "diff",
    changes: [change],
    ...(patch !== undefined && { patch: { format: "git_patch", text: patch } }),
  };
}
