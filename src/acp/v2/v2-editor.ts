import {
  type AgentContext,
  type ClientCapabilities,
  type CreateElicitationRequest,
  methods,
} from "@agentclientprotocol/sdk/experimental/v2";
import type { Editor } from "../editor/editor.ts";
import { toElicitAnswer } from "../question/elicit-answer.ts";
import { toV2Call } from "./v2-content.ts";
import { createV2Updates, type V2Updates } from "./v2-update.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** Creates the editor behind a connection in version 2, which has no methods for files. `capabilities` are the ones that it announced. */
export function createV2Editor(
  client: AgentContext,
  capabilities: () => ClientCapabilities | undefined,
): Editor {
  const sessions = new Map<string, V2Updates>();

  function open(sessionId: string): V2Updates {
    const updates = createV2Updates((update) => {
      // A disconnected editor gets no updates.
      client.notify(methods.client.session.update, { sessionId, update }).catch(() => undefined);
    });
    sessions.set(sessionId, updates);
    return updates;
  }

  return {
    abilities() {
      const form = capabilities()?.elicitation?.form;
      return { elicitsForms: form !== undefined && form !== null, readsFiles: false };
    },
    show: (sessionId, update) => (sessions.get(sessionId) ?? open(sessionId)).take(update),
    async choose(sessionId, { call, reason: description, options }, signal) {
      const { outcome } = await client.request(
        methods.client.session.requestPermission,
        {
          sessionId,
          title: `Allow ${call.title}?`,
          description,
          subject: { type: "tool_call", toolCall: toV2Call(call) },
          options: options.map(({ id: optionId, ...one }) => ({ optionId, ...one })),
        },
        { cancellationSignal: signal, stopWaitingOnCancel: true },
      );
      return outcome.outcome === "selected"
        ? (outcome as { optionId: string }).optionId
        : undefined;
    },
    async fillForm(sessionId, { message, schema, callId }, signal) {
      const scope = { sessionId, ...omitUndefined({ toolCallId: callId }) };
      const answer = await client.request(
        methods.client.elicitation.create,
        { ...scope, mode: "form", message, requestedSchema: schema } as CreateElicitationRequest,
        { ...omitUndefined({ cancellationSignal: signal }), stopWaitingOnCancel: true },
      );
      return toElicitAnswer(answer);
    },
    readText: async () => await Promise.resolve(undefined),
  };
}
