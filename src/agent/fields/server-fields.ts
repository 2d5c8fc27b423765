import type { ExtensionConfig } from "../../run/extension-config.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../source/json.ts";
import type { KeyPath } from "../../source/position.ts";
import { describeValue, shorten } from "../../source/read-value.ts";
import type { Fields } from "./fields.ts";
import { splitCommas } from "./split-list.ts";
import { readToolLists, unreadKeys } from "./server-keys.ts";
import { createVariables, type ServerVariables } from "./server-variables.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/**
 * Reads the MCP servers of a definition as Claude Code (`mcpServers`), Copilot (`mcp-servers`), Gemini CLI
 * (`mcp_servers`) and Codex (`[mcp_servers.NAME]`) write them: a map of configurations by name, or a list of names and
 * such maps. An unusable one is left out with a warning.
 */
export function readServers(fields: Fields): (string | ExtensionConfig)[] | undefined {
  const field = fields.written.get("extensions");
  if (field === undefined || field.value === null) return undefined;
  const { key, value } = field;
  const items = Array.isArray(value) ? value : typeof value === "string" ? [value] : [];
  if (isRecord(value)) return readMap(fields, value, [key]);
  if (items.length === 0 && !Array.isArray(value)) {
    leaveOut(fields, [key], `\`${key}\` is ${describeValue(value)}, not servers by name`);
  }
  return items.flatMap((item, index) => {
    if (typeof item === "string") return splitCommas(item);
    if (isRecord(item)) return readMap(fields, namedServer(item), [key, index]);
    leaveOut(fields, [key, index], `${describeValue(item)} is not the name of a server`);
    return [];
  });
}

/** A server in a list may have its name among its other keys. */
function namedServer(item: JsonObject): JsonObject {
  const { name, ...config } = item;
  const isServer = Object.values(config).some((value) => !isRecord(value));
  return typeof name === "string" && isServer ? { [name]: config } : item;
}

function readMap(fields: Fields, servers: JsonObject, keys: KeyPath): (string | ExtensionConfig)[] {
  return Object.entries(servers).flatMap(([name, config]): (string | ExtensionConfig)[] => {
    const at = [...keys, name];
    if (config === null || (isRecord(config) && isReference(config))) return [name];
    if (isRecord(config)) return [readServer({ fields, name, config, at }) ?? []].flat();
    leaveOut(fields, at, `the configuration of \`${name}\` is ${describeValue(config)}, not a map`);
    return [];
  });
}

/** Reports whether an entry refers to a configured server: `name:` alone, an empty map, or a map that only enables it. */
function isReference(config: JsonObject): boolean {
  return Object.entries(config).every(([key, value]) => key === "enabled" && value === true);
}

interface ServerEntry {
  fields: Fields;
  name: string;
  config: JsonObject;
  at: KeyPath;
}

function readServer(entry: ServerEntry): ExtensionConfig | null {
  const { fields, name, config, at } = entry;
  if (config.enabled === false || config.disabled === true) return turnedOff(entry);
  const variables = createVariables();
  const transport = readTransport(entry, variables);
  if (transport === null) return null;
  const lists = readToolLists(config);
  const allow = texts(lists.allow);
  const deny = texts(lists.deny);
  reportUnread(entry);
  const passed = first(config, "environment_keys", "environmentKeys", "env_keys", "env_vars");
  for (const key of texts(passed) ?? []) variables.names.add(key);
  if (variables.defaults.size > 0) {
    const names = [...variables.defaults].map((one) => `\`${one}\``).join(", ");
    const message = `The default of ${names} in \`${name}\` has no effect; the variable must be set.`;
    const fix = "Set the variable, or write the value itself.";
    fields.report(at, { severity: "warning", code: "unsupported-field", message, fix });
  }
  return {
    ...transport,
    ...(typeof config.description === "string" && { description: config.description }),
    ...readTimeout(config),
    ...(allow?.includes("*") !== true && omitUndefined({ allow })),
    ...omitUndefined({ deny }),
    ...(variables.names.size > 0 && { environmentKeys: [...variables.names] }),
  };
}

/** Reports unread keys, because they may be why the server does not work here. */
function reportUnread({ fields, name, config, at }: ServerEntry): void {
  const unread = unreadKeys(config).map((key) => `\`${shorten(key)}\``);
  if (unread.length === 0) return;
  const message = `The ${unread.length === 1 ? "key" : "keys"} ${unread.join(", ")} of the MCP server \`${shorten(name)}\` ${unread.length === 1 ? "is" : "are"} not read.`;
  const fix = "No action is needed unless the server needs them.";
  fields.report(at, { severity: "info", code: "unsupported-field", message, fix });
}

function turnedOff({ fields, name, at }: ServerEntry): null {
  const message = `The MCP server \`${shorten(name)}\` is turned off, so it was left out.`;
  const fix = "No action is needed; remove `enabled` or `disabled` to turn it on.";
  fields.report(at, { severity: "info", code: "server-disabled", message, fix });
  return null;
}

function readTransport(entry: ServerEntry, variables: ServerVariables): ExtensionConfig | null {
  const { fields, name, config, at } = entry;
  const command = texts(config.command);
  const url = first(config, "httpUrl", "http_url", "url");
  if (config.type === "sse") {
    return leaveOut(
      fields,
      at,
      `\`${name}\` uses the old SSE transport, which is not supported here`,
    );
  }
  if (typeof url === "string" && url !== "") {
    const headers = variables.replaceIn(readHeaders(config));
    const place = { name, type: "streamable_http", url: variables.replace(url) } as const;
    return Object.keys(headers).length > 0 ? { ...place, headers } : place;
  }
  if (command?.[0] === undefined) {
    return leaveOut(fields, at, `\`${name}\` has neither \`command\` nor \`url\``);
  }
  const environment = variables.replaceEnvironment(record(first(config, "env", "environment")));
  return {
    name,
    type: "stdio",
    command: variables.replace(command[0]),
    args: [...command.slice(1), ...(texts(config.args) ?? [])].map(variables.replace),
    ...(Object.keys(environment).length > 0 && { environment }),
    ...(typeof config.cwd === "string" && { cwd: config.cwd }),
  };
}

function readHeaders(config: JsonObject): Record<string, string> {
  const named = Object.entries(record(config.env_http_headers));
  const token = config.bearer_token_env_var;
  return {
    ...record(first(config, "headers", "http_headers")),
    ...Object.fromEntries(named.map(([header, variable]) => [header, `\${${variable}}`])),
    ...(typeof token === "string" && { Authorization: `Bearer \${${token}}` }),
  };
}

/** Codex and Cadre count in seconds, the other programs in milliseconds. */
function readTimeout(config: JsonObject): { timeoutSeconds?: number } {
  const seconds = first(config, "timeout_seconds", "timeoutSeconds", "tool_timeout_sec");
  if (typeof seconds === "number" && seconds > 0) return { timeoutSeconds: seconds };
  const { timeout } = config;
  return typeof timeout === "number" && timeout > 0 ? { timeoutSeconds: timeout / 1000 } : {};
}

function first(config: JsonObject, ...keys: string[]): JsonValue | undefined {
  return keys.map((key) => config[key]).find((value) => value !== undefined && value !== null);
}

function texts(value: JsonValue | undefined): string[] | undefined {
  if (typeof value === "string") return [value];
  if (!Array.isArray(value)) return undefined;
  return value.filter(isPlain).map(String);
}

function record(value: JsonValue | undefined): Record<string, string> {
  if (!isRecord(value)) return {};
  const entries = Object.entries(value).flatMap(([key, one]) =>
    isPlain(one) ? [[key, String(one)]] : [],
  );
  return Object.fromEntries(entries) as Record<string, string>;
}

function isPlain(value: JsonValue): value is string | number | boolean {
  return value !== null && typeof value !== "object";
}

function leaveOut(fields: Fields, at: KeyPath, problem: string): null {
  const message = `An MCP server was left out: ${shorten(problem)}.`;
  const fix =
    "Write `name: { command: …, args: […] }` or `name: { type: http, url: … }`, or configure the server in .cadre/config.yaml and name it here.";
  fields.report(at, { severity: "warning", code: "server-invalid", message, fix });
  return null;
}
