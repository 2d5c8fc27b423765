import type { SessionUpdate } from "@agentclientprotocol/sdk/experimental/v2";
import type { CallView } from "../editor/call-view.ts";
import type { CallUpdate } from "../editor/editor.ts";
import { toV2Call, toV2Content } from "./v2-content.ts";
import { createV2Terminals } from "./v2-terminals.ts";

/** Converts the updates of the calls of one session. */
export interface V2Calls {
  take(update: CallUpdate): void;
}

/** Creates the conversion. */
export function createV2Calls(send: (update: SessionUpdate) => void): V2Calls {
  const terminals = createV2Terminals(send);

  function begin(call: CallView): void {
    if (call.command !== undefined) terminals.begin(call.id, call.command);
    send({ sessionUpdate: "tool_call_update", ...toV2Call(call), status: "in_progress" });
  }

  function change(update: CallUpdate & { type: "call-changed" }): void {
    const { callId: toolCallId, content, canCancel } = update;
    const capabilities = canCancel === true ? { cancel: {} } : null;
    send({
      sessionUpdate: "tool_call_update",
      toolCallId,
      ...(content !== undefined && { content: content.map(toV2Content) }),
      ...(canCancel !== undefined && { capabilities }),
    });
  }

  function end({ callId, isError, content, command }: CallUpdate & { type: "call-ended" }): void {
    const isShown = terminals.end(callId, command);
    send({
      sessionUpdate: "tool_call_update",
      toolCallId: callId,
      status: command?.isCancelled === true ? "cancelled" : isError ? "failed" : "completed",
      ...(!isShown && { content: content.map(toV2Content) }),
    });
  }

  return {
    take(update) {
      switch (update.type) {
        case "call":
          return begin(update.call);
        case "call-changed":
          return change(update);
        case "output":
          return terminals.add(update.callId, update.text);
        case "call-ended":
          return end(update);
        case "call-stopped": {
          const { callId: toolCallId } = update;
          terminals.end(toolCallId);
          return send({ sessionUpdate: "tool_call_update", toolCallId, status: "cancelled" });
        }
      }
    },
  };
}
