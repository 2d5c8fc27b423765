// Version 1 of ACP: its methods, and an editor that speaks it.

import {
  agent,
  type AgentApp,
  type AgentContext,
  type ClientCapabilities,
  methods,
  PROTOCOL_VERSION,
  type PromptResponse,
  RequestError,
} from "@agentclientprotocol/sdk";
import type { TurnOutcome } from "../editor/editor.ts";
import type { ConnectionOptions } from "../session/connection-options.ts";
import { orProtocolError } from "../session/protocol-error.ts";
import type { GivenBlock } from "../session/to-prompt.ts";
import { createV1Editor } from "./v1-editor.ts";
import { addV1SessionMethods, type V1Connection } from "./v1-session-methods.ts";

/** Creates the agent of one connection in version 1. */
export function createV1Agent({ version, serve }: ConnectionOptions): AgentApp {
  let capabilities: ClientCapabilities | undefined;
  let connection: V1Connection | undefined;
  const open = (client: AgentContext): V1Connection => {
    if (connection !== undefined) return connection;
    const editor = createV1Editor(client, () => capabilities);
    connection = { editor, sessions: serve(editor) };
    return connection;
  };
  const { initialize, session } = methods.agent;
  // The SDK calls the handlers in order. Cancellations come first, so that no later message overtakes them.
  const app = agent({ name: "cadre" })
    .onNotification(session.cancel, ({ client, params }) => open(client).sessions.cancel(params))
    .onRequest(initialize, ({ params }) => {
      capabilities = params.clientCapabilities;
      return describeAgent(version);
    });
  // Prompts come last, so that they do not overtake changes of the settings.
  return addV1SessionMethods(app, open).onRequest(
    session.prompt,
    async ({ client, params: { sessionId, prompt } }) => {
      const request = { sessionId, blocks: prompt as readonly GivenBlock[] };
      return toResponse(await orProtocolError(open(client).sessions.prompt(request)));
    },
  );
}

function describeAgent(version: string) {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "cadre", title: "Cadre", version },
    authMethods: [],
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      mcpCapabilities: { http: true },
      sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {}, fork: {} },
    },
  };
}

/** Converts the end of a turn. A failed turn becomes an error, which the editor shows. */
function toResponse(end: TurnOutcome): PromptResponse {
  if (end.reason !== "error") return { stopReason: end.reason };
  const { code, message, data } = end.error;
  throw new RequestError(code, message, data);
}
