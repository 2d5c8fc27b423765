import { type AgentApp, methods } from "@agentclientprotocol/sdk/experimental/v2";
import { orProtocolError } from "../session/protocol-error.ts";
import type { GivenBlock } from "../session/to-prompt.ts";
import type { OpenV2Connection } from "./v2-connection.ts";

/** Adds the methods of turns: prompts and cancellations of sub-agents. */
export function addV2TurnMethods(app: AgentApp, open: OpenV2Connection): AgentApp {
  const { session, toolCall } = methods.agent;
  return app
    .onRequest(session.prompt, async ({ client, params: { sessionId, prompt }, signal }) => {
      const { editor, sessions, queue } = open(client);
      const blocks = prompt as readonly GivenBlock[];
      const turn = async (onBegun: (id: string) => void): Promise<unknown> =>
        await sessions.prompt({ sessionId, blocks }, (messageId) => {
          editor.show(sessionId, { type: "prompt", messageId, text: "", blocks });
          onBegun(messageId);
        });
      return { messageId: await orProtocolError(queue.add(sessionId, signal, turn)) };
    })
    .onRequest(toolCall.cancel, async ({ client, params: { sessionId, toolCallId: callId } }) => {
      const cancel = async (): Promise<void> =>
        await Promise.resolve(open(client).sessions.cancelCall({ sessionId, callId }));
      await orProtocolError(cancel());
      return {};
    });
}
