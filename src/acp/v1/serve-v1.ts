// Version 1 of the protocol.

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
import type { Editor, TurnEnd } from "../editor/editor.ts";
import type { AgentPlace } from "../session/agent-place.ts";
import { forkMethod, parseFork } from "../session/fork-method.ts";
import { orProtocolError } from "../session/protocol-error.ts";
import type { OpenedSession, Sessions } from "../session/sessions.ts";
import type { GivenBlock } from "../session/to-prompt.ts";
import { createV1Editor } from "./v1-editor.ts";
import { toV1Modes, toV1Options } from "./v1-options.ts";

/** Creates the agent of one connection of version 1. */
export function createV1Agent({ version, serve }: AgentPlace): AgentApp {
  let capabilities: ClientCapabilities | undefined;
  let sessions: { editor: Editor; all: Sessions } | undefined;
  const open = (client: AgentContext): { editor: Editor; all: Sessions } => {
    if (sessions !== undefined) return sessions;
    const editor = createV1Editor(client, () => capabilities);
    sessions = { editor, all: serve(editor) };
    return sessions;
  };
  /** Opens a session. Editors know the session of an update only when they have the answer. */
  const opening = async (
    client: AgentContext,
    begin: (all: Sessions) => Promise<OpenedSession>,
  ) => {
    const { editor, all } = open(client);
    const { sessionId, choices, commands } = await orProtocolError(begin(all));
    setImmediate(() => editor.show(sessionId, { type: "commands", commands }));
    return { sessionId, modes: toV1Modes(choices), configOptions: toV1Options(choices) };
  };
  const { initialize, session } = methods.agent;
  // The SDK asks one handler after another. That of cancellations is the first, so that no later message overtakes them.
  return agent({ name: "cadre" })
    .onNotification(session.cancel, ({ client, params }) => open(client).all.cancel(params))
    .onRequest(initialize, ({ params }) => {
      capabilities = params.clientCapabilities;
      return describeAgent(version);
    })
    .onRequest(session.new, async ({ client, params: { cwd, mcpServers: servers } }) =>
      opening(client, async (all) => await all.create({ cwd, servers })),
    )
    .onRequest(session.load, async ({ client, params: { mcpServers: servers, ...rest } }) =>
      opening(client, async (all) => await all.load({ ...rest, servers }, true)),
    )
    .onRequest(session.resume, async ({ client, params: { mcpServers, ...rest } }) =>
      opening(client, async (all) => await all.load({ ...rest, servers: mcpServers ?? [] }, false)),
    )
    .onRequest(
      forkMethod,
      parseFork,
      async ({ client, params: { mcpServers: servers, ...rest } }) =>
        opening(client, async (all) => await all.fork({ ...rest, servers })),
    )
    .onRequest(session.list, async ({ client, params }) =>
      orProtocolError(open(client).all.list(params)),
    )
    .onRequest(session.close, async ({ client, params }) => {
      await orProtocolError(open(client).all.close(params));
      return {};
    })
    .onRequest(session.delete, async ({ client, params }) => {
      await orProtocolError(open(client).all.remove(params));
      return {};
    })
    .onRequest(session.setMode, async ({ client, params: { sessionId, modeId: value } }) => {
      await orProtocolError(open(client).all.choose({ sessionId, choice: "mode", value }));
      return {};
    })
    .onRequest(session.setConfigOption, async ({ client, params }) => {
      const { sessionId, configId: choice, value } = params;
      const request = { sessionId, choice, value: String(value) };
      const choices = await orProtocolError(open(client).all.choose(request));
      return { configOptions: toV1Options(choices) };
    })
    .onRequest(session.prompt, async ({ client, params: { sessionId, prompt } }) => {
      const request = { sessionId, blocks: prompt as readonly GivenBlock[] };
      return toResponse(await orProtocolError(open(client).all.prompt(request)));
    });
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

/** A failed turn is an error, which the editor shows. */
function toResponse(end: TurnEnd): PromptResponse {
  if (end.reason !== "error") return { stopReason: end.reason };
  const { code, message, data } = end.error;
  throw new RequestError(code, message, data);
}
