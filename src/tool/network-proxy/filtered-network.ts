import type { ChildProcess } from "node:child_process";
import { Server } from "node:net";
import { CadreError } from "../../errors.ts";
import type { NetworkGuard } from "./find-addresses.ts";
import { type NetworkRule, parseNetworkRule } from "./network-rule.ts";
import { createProxyServer } from "./proxy-server.ts";

/** What one sandboxed command needs to reach some hosts and no others. */
export interface FilteredNetwork {
  /** What must be readable in the sandbox, besides `/bin/sh`. */
  readablePaths: readonly string[];
  /** Variables of the command, by which programs find the proxy. */
  environment: Readonly<Record<string, string>>;
  /** The command as it is to be run in the sandbox, which must have a network of its own (`--unshare-net`). */
  wrapCommand(command: readonly string[]): string[];
  /** Takes the listening socket from the sandbox, whose process must have an IPC channel as its descriptor 3. */
  attach(child: ChildProcess): void;
  /** The rules that were missing for what the command asked for; to be told with its output. */
  missing(): string[];
  /** Ends every connection. */
  close(): void;
}

/** Any port does in a network of its own. */
const port = 3128;
const proxy = `http://127.0.0.1:${port}`;
const selves: readonly string[] = ["localhost", "127.0.0.1", "::1"];

/**
 * Opens the door of the sandbox's network and hands it out; then it ends, and the command takes its place. The socket belongs to
 * the network it was made in, whichever process holds it, so nothing stays inside that could be tampered with.
 */
const handOut = `const server = require("net").createServer().listen(${port}, "127.0.0.1", () =>
  process.send("listening", server, (error) => process.exit(error ? 1 : 0)));`;
const script = `"$1" -e "$2" || exit 1; shift 2; unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE; exec "$@" 3>&-`;

/**
 * Prepares the network of one command that may reach the hosts of `allow` (`HOST`, `*.DOMAIN`, each with `:PORT`; without, the
 * ports 80 and 443). Addresses that are not public have to be listed themselves.
 *
 * @throws CadreError `config-invalid` for a rule that cannot be read.
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
        // Nothing but the socket is wanted from in there.
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
  // The sandbox's own servers are reached directly, unless those of the machine are meant.
  const direct = selves.filter((self) => !rules.some(({ host }) => host === self)).join(",");
  const entries = [
    ...names.flatMap((name) => [name, name.toUpperCase()]).map((name) => [name, proxy]),
    ["npm_config_proxy", proxy],
    ["npm_config_https_proxy", proxy],
    ["no_proxy", direct],
    ["NO_PROXY", direct],
    // Node's own fetch heeds the others with this one only.
    ["NODE_USE_ENV_PROXY", "1"],
  ];
  return Object.fromEntries(entries) as Record<string, string>;
}
