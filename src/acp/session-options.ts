import type { McpServer, SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import { type CadreOptions, permissionModes, type PermissionMode } from "../host.ts";

/** What the editor's user chose for a session. Absent = as configured. */
export interface SessionChoices {
  mode?: PermissionMode;
  model?: string;
  agent: string;
}

const descriptions: Readonly<Record<PermissionMode, string>> = {
  plan: "Reads only, and says what it would do",
  "read-only": "Reads only",
  deny: "Does what the rules allow, and nothing else",
  ask: "Asks before edits and commands",
  "accept-edits": "Edits files without asking",
  auto: "Asks nothing that the rules do not forbid",
};

/** Describes the modes, of which `current` is set. */
export function describeModes(current: PermissionMode): SessionModeState {
  const availableModes = permissionModes.map((id) => ({
    id,
    name: id,
    description: descriptions[id],
  }));
  return { currentModeId: current, availableModes };
}

/** Describes the settings of a session: the mode, and the agent of the next turn. */
export function describeOptions(
  { agent }: SessionChoices,
  mode: PermissionMode,
  agents: readonly { name: string; description?: string | undefined }[],
): SessionConfigOption[] {
  const modes = permissionModes.map((value) => ({
    value,
    name: value,
    description: descriptions[value],
  }));
  const names = agents.map(({ name, description }) => ({
    value: name,
    name,
    description: description ?? null,
  }));
  return [
    {
      type: "select",
      id: "mode",
      name: "Mode",
      category: "mode",
      currentValue: mode,
      options: modes,
    },
    { type: "select", id: "agent", name: "Agent", currentValue: agent, options: names },
  ];
}

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
