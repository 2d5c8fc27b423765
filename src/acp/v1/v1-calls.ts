import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { CallView } from "../editor/call-view.ts";
import type { CallUpdate } from "../editor/editor.ts";
import { toV1Call, toV1Content } from "./v1-content.ts";
import { createV1Outputs } from "./v1-outputs.ts";

/** Converts the updates of the calls of one session. */
export interface V1Calls {
  take(update: CallUpdate): void;
}

/** Creates the conversion. `hasTerminals`: the editor shows the output of commands in terminals. */
export function createV1Calls(
  hasTerminals: boolean,
  send: (update: SessionUpdate) => void,
): V1Calls {
  const outputs = createV1Outputs(hasTerminals, send);

  function begin(call: CallView): void {
    const isCommand = call.command !== undefined;
    if (isCommand) outputs.begin(call.id);
    const hasTerminal = isCommand && hasTerminals;
    send({
      sessionUpdate: "tool_call",
      ...toV1Call(call),
      name: call.tool,
      status: "in_progress",
      ...(hasTerminal && { content: [{ type: "terminal", terminalId: call.id }] }),
      ...metaOf(call, hasTerminal),
    });
  }

  function end({ callId, isError, content, command }: CallUpdate & { type: "call-ended" }): void {
    const exit = outputs.end(callId, command);
    send({
      sessionUpdate: "tool_call_update",
      toolCallId: callId,
      status: isError ? "failed" : "completed",
      ...(exit === undefined
        ? { content: content.map(toV1Content) }
        : { _meta: { terminal_exit: exit } }),
    });
  }

  return {
    take(update) {
      switch (update.type) {
        case "call":
          return begin(update.call);
        case "call-changed": {
          const { callId: toolCallId, content } = update;
          if (content === undefined) return;
          const shown = content.map(toV1Content);
          return send({ sessionUpdate: "tool_call_update", toolCallId, content: shown });
        }
        case "output":
          return outputs.add(update.callId, update.text);
        case "call-ended":
          return end(update);
        case "call-stopped": {
          const { callId: toolCallId } = update;
          outputs.end(toolCallId);
          return send({ sessionUpdate: "tool_call_update", toolCallId, status: "failed" });
        }
      }
    },
  };
}

/** Returns the data for which the protocol has no field. */
function metaOf(
  { id, parentId }: CallView,
  isTerminal: boolean,
): { _meta?: Record<string, unknown> } {
  const parent = parentId === undefined ? {} : { parentToolCallId: parentId };
  const terminal = isTerminal ? { terminal_info: { terminal_id: id } } : {};
  const meta = { ...parent, ...terminal };
  return Object.keys(meta).length === 0 ? {} : { _meta: meta };
}
