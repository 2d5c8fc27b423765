import {
  type AgentApp,
  assertSupportedMcpServers,
  type McpServer,
  methods,
} from "@agentclientprotocol/sdk/experimental/v2";
import type { GivenServer } from "../session/editor-servers.ts";
import { forkMethod, parseFork } from "../session/fork-method.ts";
import { orProtocolError } from "../session/protocol-error.ts";
import { wrongValue } from "../session/session-options.ts";
import type { OpenedSession } from "../session/sessions.ts";
import type { OpenV2Connection } from "./v2-connection.ts";
import { toV2Commands, toV2Options } from "./v2-options.ts";

/** The supported transports of an editor's MCP servers. */
export const mcpTransports = { stdio: {}, http: {} };

/** Adds the methods that open, list, change, close and delete sessions. */
export function addV2SessionMethods(app: AgentApp, open: OpenV2Connection): AgentApp {
  const { session } = methods.agent;
  return app
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
    });
}

function readServers(given: readonly (McpServer | GivenServer)[] = []): GivenServer[] {
  assertSupportedMcpServers(given as readonly McpServer[], mcpTransports);
  return given as GivenServer[];
}

/** Reports whether a replay is requested. It can only begin at the start of a conversation. */
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
