import { type AgentApp, type AgentContext, methods } from "@agentclientprotocol/sdk";
import type { Editor } from "../editor/editor.ts";
import { forkMethod, parseFork } from "../session/fork-method.ts";
import { orProtocolError } from "../session/protocol-error.ts";
import type { OpenedSession, Sessions } from "../session/sessions.ts";
import { toV1Modes, toV1Options } from "./v1-options.ts";

/** A connection of version 1. */
export interface V1Connection {
  editor: Editor;
  sessions: Sessions;
}

/** Adds the methods that open, list, change, close and delete sessions. `open` always returns the same connection. */
export function addV1SessionMethods(
  app: AgentApp,
  open: (client: AgentContext) => V1Connection,
): AgentApp {
  /** Opens a session. Editors cannot assign an update to a session before they have the response. */
  const opening = async (
    client: AgentContext,
    begin: (sessions: Sessions) => Promise<OpenedSession>,
  ) => {
    const { editor, sessions } = open(client);
    const { sessionId, choices, commands } = await orProtocolError(begin(sessions));
    setImmediate(() => editor.show(sessionId, { type: "commands", commands }));
    return { sessionId, modes: toV1Modes(choices), configOptions: toV1Options(choices) };
  };
  const { session } = methods.agent;
  return app
    .onRequest(session.new, async ({ client, params: { cwd, mcpServers: servers } }) =>
      opening(client, async (sessions) => await sessions.create({ cwd, servers })),
    )
    .onRequest(session.load, async ({ client, params: { mcpServers: servers, ...rest } }) =>
      opening(client, async (sessions) => await sessions.load({ ...rest, servers }, true)),
    )
    .onRequest(session.resume, async ({ client, params: { mcpServers, ...rest } }) =>
      opening(
        client,
        async (sessions) => await sessions.load({ ...rest, servers: mcpServers ?? [] }, false),
      ),
    )
    .onRequest(
      forkMethod,
      parseFork,
      async ({ client, params: { mcpServers: servers, ...rest } }) =>
        opening(client, async (sessions) => await sessions.fork({ ...rest, servers })),
    )
    .onRequest(session.list, async ({ client, params }) =>
      orProtocolError(open(client).sessions.list(params)),
    )
    .onRequest(session.close, async ({ client, params }) => {
      await orProtocolError(open(client).sessions.close(params));
      return {};
    })
    .onRequest(session.delete, async ({ client, params }) => {
      await orProtocolError(open(client).sessions.remove(params));
      return {};
    })
    .onRequest(session.setMode, async ({ client, params: { sessionId, modeId: value } }) => {
      await orProtocolError(open(client).sessions.choose({ sessionId, choice: "mode", value }));
      return {};
    })
    .onRequest(session.setConfigOption, async ({ client, params }) => {
      const { sessionId, configId: choice, value } = params;
      const request = { sessionId, choice, value: String(value) };
      const choices = await orProtocolError(open(client).sessions.choose(request));
      return { configOptions: toV1Options(choices) };
    });
}
