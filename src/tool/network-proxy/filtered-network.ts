// The network of sandboxed commands: a proxy that reaches only the allowed hosts.

import type { ChildProcess } from "node:child_process";
import { Server } from "node:net";
import { CadreError } from "../../errors.ts";
import type { NetworkGuard } from "./find-addresses.ts";
import { type NetworkRule, parseNetworkRule } from "./network-rule.ts";
import { createProxyServer } from "./proxy-server.ts";

/** The network of one sandboxed command, which reaches only the allowed hosts. */
export interface FilteredNetwork {
  /** Paths that must be readable in the sandbox, besides `/bin/sh`. */
  readablePaths: readonly string[];
  /** Variables for the command that point programs to the proxy. */
  environment: Readonly<Record<string, string>>;
  /** Wraps the command to run in the sandbox, which must have its own network namespace (`--unshare-net`). */
  wrapCommand(command: readonly string[]): string[];
  /** Receives the listening socket from the sandbox, whose process must have an IPC channel as descriptor 3. */
  attach(child: ChildProcess): void;
  /** Returns the rules that the command's refused connections lacked, to report with its output. */
  missing(): string[];
  /** Closes every connection. */
  close(): void;
}

/** In a separate network namespace, any port is free. */
const port = 3128;
const proxy = `http://127.0.0.1:${port}`;
const selves: readonly string[] = ["localhost", "127.0.0.1", "::1"];

/**
 * Listens in the sandbox's network and hands the socket out; then it ends, and the command takes its place. A socket belongs to
 * the network namespace it was created in, whichever process holds it, so no process inside needs to be trusted.
 */
const handOut = `const server = require("net").createServer().listen(${port}, "127.0.0.1", () =>
  process.send("listening", server, (error) => process.exit(error ? 1 : 0)));`;
const script = `"$1" -e "$2" || exit 1; shift 2; unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE; exec "$@" 3>&-`;

/**
 * Prepares the network of one command that may reach the hosts of `allow`: `HOST` or `*.DOMAIN`, with `:PORT` or, without it, the
 * ports 80 and 443. An address that is not public must be listed itself.
 *
 * @throws CadreError `config-invalid` for an invalid rule.
 */
export function prepareFilteredNetwork(
  allow: readonly string[],
  guard: Pick<NetworkGuard, "lookup"> = {},
): FilteredNetwork {
  const rules = allow.map(readRule);
  const { server, missing, close } = createProxyServer({ ...guard, rules });
  let isClosed = false;
  return {
    readablePaths: [process.execPath],
    environment: proxyEnvironment(rules),
    wrapCommand: (command) => [
      "/bin/sh",
      "-c",
      script,
      "sh",
      process.execPath,
      handOut,
      ...command,
    ],
    attach(child) {
      child.once("message", (_, handle) => {
        // The socket is the only message expected from the sandbox.
        child.disconnect();
        if (!(handle instanceof Server)) return;
        if (isClosed) handle.close();
        else server.listen(handle);
      });
    },
    missing: () => [...missing],
    close() {
      isClosed = true;
      close();
    },
  };
}

function readRule(text: string): NetworkRule {
  const rule = parseNetworkRule(text);
  if (rule !== undefined) return rule;
  const message = `Expected a host in sandbox.network.allow, such as "registry.npmjs.org", "*.github.com" or "localhost:3000"; got ${JSON.stringify(text)}.`;
  throw new CadreError("config-invalid", message);
}

function proxyEnvironment(rules: readonly NetworkRule[]): Record<string, string> {
  const names = ["http_proxy", "https_proxy", "all_proxy"];
  // Servers inside the sandbox are reached directly, unless the rules list the machine's own servers.
  const direct = selves.filter((self) => !rules.some(({ host }) => host === self)).join(",");
  const entries = [
    ...names.flatMap((name) => [name, name.toUpperCase()]).map((name) => [name, proxy]),
    ["npm_config_proxy", proxy],
    ["npm_config_https_proxy", proxy],
    ["no_proxy", direct],
    ["NO_PROXY", direct],
    // Node's own fetch respects the other variables only with this one.
    ["NODE_USE_ENV_PROXY", "1"],
  ];
  return Object.fromEntries(entries) as Record<string, string>;
}
