import type { ExtensionConfig, HttpExtension, StdioExtension } from "../../run/extension-config.ts";
import type { JsonObject } from "../../source/json.ts";
import type { WriteContext } from "./format-writer.ts";

/** A program's keys for a server's configuration. */
export interface ServerWords {
  /** Absent = the program has no such key; the same applies to `deny` and `timeout`. */
  allow?: string;
  deny?: string;
  /** The key for the timeout of a call, and the number of its units per second. */
  timeout?: readonly [key: string, perSecond: number];
  environment: string;
  /** The key for variables that are passed on; absent = they are written as `NAME: ${NAME}`. */
  environmentKeys?: string;
  headers: string;
  url: string;
  /** The terms for the kinds of server; absent = the program infers the kind from the keys. */
  types?: readonly [stdio: string, http: string];
}

/** Writes servers as a map by name. A server without its configuration is lost. */
export function writeServerMap(
  extensions: readonly (string | ExtensionConfig)[],
  words: ServerWords,
  { lose }: WriteContext,
): JsonObject {
  // The format decides whether the parent's servers are added.
  const named = extensions.filter((one) => typeof one === "string").filter((one) => one !== "*");
  if (named.length > 0)
    lose(`it does not support servers by name, so ${named.join(", ")} is left out`);
  const entries = extensions.flatMap((one) =>
    typeof one === "string" ? [] : [[one.name, writeServer(one, words)] as const],
  );
  return Object.fromEntries(entries);
}

/** Writes the configuration of one server. */
export function writeServer(server: ExtensionConfig, words: ServerWords): JsonObject {
  const { allow, deny, timeoutSeconds, environmentKeys = [] } = server;
  const { timeout, types = [] } = words;
  const keys: [string | undefined, unknown][] = [
    ["type", types[server.type === "stdio" ? 0 : 1]],
    ...(server.type === "stdio" ? stdioKeys(server, words) : httpKeys(server, words)),
    [words.environmentKeys, environmentKeys.length > 0 ? environmentKeys : undefined],
    [words.allow, allow],
    [words.deny, deny],
    [timeout?.[0], timeoutSeconds === undefined ? undefined : timeoutSeconds * (timeout?.[1] ?? 1)],
  ];
  const present = keys.filter(([key, value]) => key !== undefined && value !== undefined);
  return Object.fromEntries(present) as JsonObject;
}

function stdioKeys(server: StdioExtension, words: ServerWords): [string, unknown][] {
  const { command, args, environment = {}, environmentKeys = [], cwd } = server;
  const passed = words.environmentKeys === undefined ? environmentKeys : [];
  const all = { ...environment, ...Object.fromEntries(passed.map((key) => [key, `\${${key}}`])) };
  return [
    ["command", command],
    ["args", args],
    [words.environment, Object.keys(all).length > 0 ? all : undefined],
    ["cwd", cwd],
  ];
}

function httpKeys({ url, headers }: HttpExtension, words: ServerWords): [string, unknown][] {
  return [
    [words.url, url],
    [words.headers, headers],
  ];
}
