// The MCP server: its tools, resources and tasks.

import {
  type ClientCapabilities,
  Server,
  type ServerCapabilities,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { capabilitiesOf, tasksExtension } from "../client/capabilities.ts";
import type { Client } from "../client/client.ts";
import { describeTools } from "../call/offered-tool.ts";
import type { QuestionPool } from "../question/question-pool.ts";
import { listResources, readResource, resourceTemplates } from "../resource/resources.ts";
import { runUri } from "../resource/resource-uri.ts";
import { type CallAnswer, type CallContext, findParked, serveCall } from "../call/serve-call.ts";
import { serveExtensionTasks, serveTasks } from "../call/serve-tasks.ts";

/** Options of {@link createServer}. */
export interface ServerSetup {
  version: string;
  /** Whether the server speaks 2026-07-28 or an earlier generation. */
  era: "modern" | "legacy";
  pool: QuestionPool;
  /** Reports whether the server is ending, as opposed to the client. */
  isEnding: () => boolean;
  /** Returns the client of a request. */
  clientOf: (ctx: ServerContext) => Client;
  /** The subscribed resources. Only generations before 2026-07-28 subscribe at the server. */
  subscriptions: Set<string>;
}

const instructions =
  "Delegates tasks to sub-agents. agent and subagent wait for the result; sessions_spawn starts runs in the background, and sessions_wait returns their results. Runs continue after the connection closes or a call times out: sessions_list lists them, and each can be found again by its id.";

/** The maximum number of completions of an argument. */
const maxCompletions = 100;

/** Creates a server of Cadre's tools, resources and tasks, for one connection or for one HTTP request of 2026-07-28. */
export function createServer(setup: ServerSetup): Server {
  const { version, era, clientOf, pool, isEnding } = setup;
  const info = { name: "cadre", title: "Cadre", version };
  const server: Server = new Server(info, {
    capabilities: era === "modern" ? modernCapabilities : legacyCapabilities,
    instructions,
    requestState: { verify: (state, ctx) => findParked(clientOf(ctx), state) },
  });
  const positionOf = (ctx: ServerContext): CallContext => {
    const client = clientOf(ctx);
    client.capabilities = capabilitiesOf(ctx) ?? declaredBy(server) ?? client.capabilities;
    return { client, pool, isEnding };
  };
  serveTools(server, positionOf);
  serveResources(server, positionOf);
  serveCompletions(server, positionOf);
  if (era === "modern") serveExtensionTasks(server, positionOf);
  else {
    serveTasks(server, positionOf);
    serveSubscriptions(server, setup.subscriptions);
  }
  return server;
}

const shared: ServerCapabilities = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
};

const legacyCapabilities: ServerCapabilities = {
  ...shared,
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
};

const modernCapabilities: ServerCapabilities = { ...shared, extensions: { [tasksExtension]: {} } };

/** Returns the capabilities that a client of 2025-11-25 or earlier sent when it connected. */
function declaredBy(server: Server): ClientCapabilities | undefined {
  return server.getClientCapabilities();
}

type PlaceOf = (ctx: ServerContext) => CallContext;

function serveTools(server: Server, positionOf: PlaceOf): void {
  server.setRequestHandler("tools/list", async (_, ctx) => ({
    tools: describeTools(await positionOf(ctx).client.tools()),
  }));
  server.setRequestHandler(
    "tools/call",
    async ({ params }, ctx): Promise<CallAnswer> => await serveCall(positionOf(ctx), params, ctx),
  );
}

function serveResources(server: Server, positionOf: PlaceOf): void {
  server.setRequestHandler("resources/list", async ({ params }, ctx) => {
    return await listResources(await positionOf(ctx).client.cadre(), params?.cursor);
  });
  server.setRequestHandler("resources/templates/list", () => resourceTemplates);
  server.setRequestHandler("resources/read", async ({ params }, ctx) => {
    return await readResource(await positionOf(ctx).client.cadre(), params.uri);
  });
}

function serveSubscriptions(server: Server, subscriptions: Set<string>): void {
  server.setRequestHandler("resources/subscribe", ({ params }) => {
    subscriptions.add(params.uri);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params }) => {
    subscriptions.delete(params.uri);
    return {};
  });
}

/** Completes the ids of runs. */
function serveCompletions(server: Server, positionOf: PlaceOf): void {
  server.setRequestHandler("completion/complete", async ({ params }, ctx) => {
    const { ref, argument } = params;
    const isRun = ref.type === "ref/resource" && ref.uri.startsWith(runUri("{id}"));
    if (!isRun || argument.name !== "id") return { completion: { values: [] } };
    const cadre = await positionOf(ctx).client.cadre();
    const ids = (await cadre.runs({ limit: 1000 })).map(({ id }) => id);
    const values = ids.filter((id) => id.startsWith(argument.value));
    return { completion: { values: values.slice(0, maxCompletions), total: values.length } };
  });
}
