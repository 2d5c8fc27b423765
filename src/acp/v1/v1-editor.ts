import {
  type AgentContext,
  type ClientCapabilities,
  methods,
  type ReadTextFileResponse,
  type RequestPermissionResponse,
} from "@agentclientprotocol/sdk";
import type { Editor, EditorForm } from "../editor/editor.ts";
import { toElicitAnswer } from "../question/elicit-answer.ts";
import { toV1Call } from "./v1-content.ts";
import { createV1Updates, type V1Updates } from "./v1-update.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** Creates the editor behind a connection in version 1. `capabilities` are the ones that it announced. */
export function createV1Editor(
  client: AgentContext,
  capabilities: () => ClientCapabilities | undefined,
): Editor {
  const sessions = new Map<string, V1Updates>();

  function open(sessionId: string): V1Updates {
    const hasTerminals = capabilities()?._meta?.["terminal_output"] === true;
    const updates = createV1Updates(hasTerminals, (update) => {
      // A disconnected editor gets no updates.
      client.notify(methods.client.session.update, { sessionId, update }).catch(() => undefined);
    });
    sessions.set(sessionId, updates);
    return updates;
  }

  return {
    abilities() {
      const { elicitation, fs } = capabilities() ?? {};
      const forms = elicitation?.form;
      return {
        elicitsForms: forms !== undefined && forms !== null,
        readsFiles: fs?.readTextFile === true,
      };
    },
    show: (sessionId, update) => (sessions.get(sessionId) ?? open(sessionId)).take(update),
    async choose(sessionId, { call, reason, options }, signal) {
      const { content = [], ...shown } = toV1Call(call);
      const text = { type: "content", content: { type: "text", text: reason } } as const;
      const toolCall = { ...shown, status: "pending" as const, content: [...content, text] };
      const shownOptions = options.map(({ id: optionId, ...one }) => ({ optionId, ...one }));
      const { outcome } = await client.request<RequestPermissionResponse>(
        methods.client.session.requestPermission,
        { sessionId, toolCall, options: shownOptions },
        { cancellationSignal: signal, stopWaitingOnCancel: true },
      );
      return outcome.outcome === "selected" ? outcome.optionId : undefined;
    },
    async fillForm(sessionId, { message, schema, callId }: EditorForm, signal) {
      const scope = { sessionId, ...omitUndefined({ toolCallId: callId }) };
      const answer = await client.request<{ action: string; content?: object | null }>(
        methods.client.elicitation.create,
        { ...scope, mode: "form", message, requestedSchema: schema },
        { ...omitUndefined({ cancellationSignal: signal }), stopWaitingOnCancel: true },
      );
      return toElicitAnswer(answer);
    },
    async readText(sessionId, path, signal) {
      const { content } = await client.request<ReadTextFileResponse>(
        methods.client.fs.readTextFile,
        { sessionId, path },
        { cancellationSignal: signal, stopWaitingOnCancel: true },
      );
      return content;
    },
  };
}
