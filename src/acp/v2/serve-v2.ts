// Version 2 of the protocol, a draft.

import {
  agent,
  type AgentApp,
  type AgentContext,
  assertSupportedMcpServers,
  type ClientCapabilities,
  type InitializeResponse,
  type McpServer,
  methods,
  PROTOCOL_VERSION,
} from "@agentclientprotocol/sdk/experimental/v2";
import type { AgentPlace } from "../session/agent-place.ts";
import type { Editor } from "../editor/editor.ts";
import type { GivenServer } from "../session/editor-servers.ts";
import { forkMethod, parseFork } from "../session/fork-method.ts";
import { orProtocolError } from "../session/protocol-error.ts";
import { wrongValue } from "../session/session-options.ts";
import type { OpenedSession, Sessions } from "../session/sessions.ts";
import type { GivenBlock } from "../session/to-prompt.ts";
import { createPromptQueue, type PromptQueue } from "./prompt-queue.ts";
import { createV2Editor } from "./v2-editor.ts";
import { toV2Commands, toV2Options } from "./v2-update.ts";

interface Connected {
  editor: Editor;
  sessions: Sessions;
  queue: PromptQueue;
}

/** Creates the agent of one connection of version 2. */
export function createV2Agent({ version, serve }: AgentPlace): AgentApp {
  let capabilities: ClientCapabilities | undefined;
  let connected: Connected | undefined;
  const open = (client: AgentContext): Connected => {
    if (connected !== undefined) return connected;
    const editor = createV2Editor(client, () => capabilities);
    const sessions = serve(editor);
    connected = { editor, sessions, queue: createPromptQueue(sessions.idle) };
    return connected;
  };
  const { initialize, session, toolCall } = methods.agent;
  // The SDK asks one handler after another. That of cancellations is the first, so that no later message overtakes them.
  return agent({ name: "cadre" })
    .onNotification(session.cancel, ({ client, params }) => {
      const { sessions, queue } = open(client);
      queue.cancel(params.sessionId);
      sessions.cancel(params);
    })
    .onRequest(initialize, ({ params }) => {
      capabilities = params.capabilities;
      return describeAgent(version);
    })
    .onRequest(session.new, async ({ client, params: { cwd, mcpServers } }) => {
      const request = { cwd, servers: readServers(mcpServers) };
      return toOpened(await orProtocolError(open(client).sessions.create(request)));
    })
    .onRequest(session.resume, async ({ client, params }) => {
      const { sessionId, cwd, mcpServers, replayFrom } = params;
      const request = { sessionId, cwd, servers: readServers(mcpServers) };
      const load = async (): Promise<OpenedSession> =>
        await open(client).sessions.load(request, readReplay(replayFrom?.type));
      const { sessionId: _, ...opened } = toOpened(await orProtocolError(load()));
      return opened;
    })
    .onRequest(forkMethod, parseFork, async ({ client, params }) => {
      const { mcpServers, ...known } = params;
      const request = { ...known, servers: readServers(mcpServers) };
      return toOpened(await orProtocolError(open(client).sessions.fork(request)));
    })
    .onRequest(session.list, async ({ client, params }) =>
      orProtocolError(open(client).sessions.list(params)),
    )
    .onRequest(session.close, async ({ client, params }) => {
      const { sessions, queue } = open(client);
      queue.cancel(params.sessionId);
      await orProtocolError(sessions.close(params));
      return {};
    })
    .onRequest(session.delete, async ({ client, params }) => {
      const { sessions, queue } = open(client);
      queue.cancel(params.sessionId);
      await orProtocolError(sessions.remove(params));
      return {};
    })
    .onRequest(session.setConfigOption, async ({ client, params }) => {
      const { sessionId, configId: choice, type, value } = params;
      const change = async () => {
        if (type !== "id") throw wrongValue("type", "id", type);
        return await open(client).sessions.choose({ sessionId, choice, value: String(value) });
      };
      return { configOptions: toV2Options(await orProtocolError(change())) };
    })
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

const mcp = { stdio: {}, http: {} };

function describeAgent(version: string): InitializeResponse {
  const session = { prompt: { image: {}, embeddedContext: {} }, mcp, delete: {}, fork: {} };
  return {
    protocolVersion: PROTOCOL_VERSION,
    info: { name: "cadre", title: "Cadre", version },
    capabilities: { session },
  };
}

function readServers(given: readonly (McpServer | GivenServer)[] = []): GivenServer[] {
  assertSupportedMcpServers(given as readonly McpServer[], mcp);
  return given as GivenServer[];
}

/** Replay begins at the start of a conversation, or is not asked for. */
function readReplay(from: string | undefined): boolean {
  if (from !== undefined && from !== "start") throw wrongValue("replayFrom", "start", from);
  return from === "start";
}

function toOpened({ sessionId, choices, commands }: OpenedSession) {
  return {
    sessionId,
    configOptions: toV2Options(choices),
    availableCommands: toV2Commands(commands),
  };
}
