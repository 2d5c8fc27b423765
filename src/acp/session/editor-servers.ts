import { wrongValue } from "./session-options.ts";
import type { CadreOptions } from "../../host.ts";

/** An MCP server that the editor provides, in either version of the protocol. */
export interface GivenServer {
  name: string;
  /** Absent for a server over standard streams in version 1. */
  type?: string;
  command?: string;
  args?: readonly string[];
  env?: readonly Pair[];
  url?: string;
  headers?: readonly Pair[];
}

interface Pair {
  name: string;
  value: string;
}

type Extensions = NonNullable<NonNullable<CadreOptions["config"]>["extensions"]>;

/**
 * Converts the MCP servers that the editor provides to configured extensions.
 *
 * @throws CadreError `invalid-argument` for an unsupported transport, and for two servers with the same name.
 */
export function toExtensions(servers: readonly GivenServer[]): Extensions {
  const names = servers.map(({ name }) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw wrongValue("mcpServers", "different names", `two ${repeated}`);
  return Object.fromEntries(servers.map((server) => [server.name, toExtension(server)]));
}

function toExtension(server: GivenServer): Extensions[string] {
  const { name, type = "stdio", command, args = [], env = [], url, headers = [] } = server;
  if (type === "stdio" && command !== undefined) {
    return { command, args: [...args], environment: toRecord(env) };
  }
  if (type === "http" && url !== undefined) return { url, headers: toRecord(headers) };
  const expected = "servers over standard streams or HTTP";
  throw wrongValue("mcpServers", expected, `${name}, a server of the type ${type}`);
}

function toRecord(pairs: readonly Pair[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
