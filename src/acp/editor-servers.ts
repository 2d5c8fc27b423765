import type { McpServer } from "@agentclientprotocol/sdk";
import type { CadreOptions } from "../host.ts";

/** Converts the MCP servers that the editor brings to extensions of the configuration. */
export function toExtensions(servers: readonly McpServer[]): Extensions {
  return Object.fromEntries(
    servers.flatMap((server) => {
      const extension = toExtension(server);
      return extension === undefined ? [] : [[server.name, extension] as const];
    }),
  );
}

type Extensions = NonNullable<NonNullable<CadreOptions["config"]>["extensions"]>;

/** `undefined`: a server over server-sent events, which the agent does not announce. */
function toExtension(server: McpServer): Extensions[string] | undefined {
  if (!("type" in server)) {
    const { command, args, env } = server;
    return { command, args, environment: toRecord(env) };
  }
  return server.type === "http"
    ? { url: server.url, headers: toRecord(server.headers) }
    : undefined;
}

function toRecord(pairs: readonly { name: string; value: string }[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
