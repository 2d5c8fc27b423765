// Version 2 of ACP, a draft: its methods, and an editor that speaks it.

import {
  agent,
  type AgentApp,
  type AgentContext,
  type ClientCapabilities,
  type InitializeResponse,
  methods,
  PROTOCOL_VERSION,
} from "@agentclientprotocol/sdk/experimental/v2";
import type { ConnectionOptions } from "../session/connection-options.ts";
import { createPromptQueue } from "./prompt-queue.ts";
import type { V2Connection } from "./v2-connection.ts";
import { createV2Editor } from "./v2-editor.ts";
import { addV2SessionMethods, mcpTransports } from "./v2-session-methods.ts";
import { addV2TurnMethods } from "./v2-turn-methods.ts";

/** Creates the agent of one connection in version 2. */
export function createV2Agent({ version, serve }: ConnectionOptions): AgentApp {
  let capabilities: ClientCapabilities | undefined;
  let connection: V2Connection | undefined;
  const open = (client: AgentContext): V2Connection => {
    if (connection !== undefined) return connection;
    const editor = createV2Editor(client, () => capabilities);
    const sessions = serve(editor);
    connection = { editor, sessions, queue: createPromptQueue(sessions.idle) };
    return connection;
  };
  const { initialize, session } = methods.agent;
  // The SDK calls the handlers in order. Cancellations come first, so that no later message overtakes them.
  const app = agent({ name: "cadre" })
    .onNotification(session.cancel, ({ client, params }) => {
      const { sessions, queue } = open(client);
      queue.cancel(params.sessionId);
      sessions.cancel(params);
    })
    .onRequest(initialize, ({ params }) => {
      capabilities = params.capabilities;
      return describeAgent(version);
    });
  // Prompts come last, so that they do not overtake changes of the settings.
  return addV2TurnMethods(addV2SessionMethods(app, open), open);
}

function describeAgent(version: string): InitializeResponse {
  const prompt = { image: {}, embeddedContext: {} };
  const session = { prompt, mcp: mcpTransports, delete: {}, fork: {} };
  return {
    protocolVersion: PROTOCOL_VERSION,
    info: { name: "cadre", title: "Cadre", version },
    capabilities: { session },
  };
}
