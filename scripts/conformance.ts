import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { putStandIn, conformanceScript } from "./conformance-stand-ins.ts";

// Runs the official conformance suite of the Model Context Protocol against `cadre mcp --http`: the requirements of each
// protocol version for servers, and the extension for tasks. Fails when a check fails that test/mcp/conformance.yaml does not
// list, and when a listed check passes.

const root = dirname(import.meta.dirname);
const token = "a-token-for-the-conformance-suite";
const revisions = ["2025-11-25", "2026-07-28"];
/** The scenarios of the extension `io.modelcontextprotocol/tasks`, which no protocol version requires. */
const scenarios = [
  "tasks-capability-negotiation",
  "tasks-dispatch-and-envelope",
  "tasks-lifecycle",
  "tasks-mrtr-input",
  "tasks-request-headers",
  "tasks-request-state-removal",
  "tasks-wire-fields",
];
const expected = join(root, "test", "mcp", "conformance.yaml");
const suite = dirname(
  fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/package.json")),
);

const folder = mkdtempSync(join(tmpdir(), "cadre-conformance-"));
const work = join(folder, "work");
mkdirSync(join(work, ".git"), { recursive: true });
mkdirSync(join(work, ".cadre", "agents"), { recursive: true });
writeFileSync(join(work, "script.yaml"), conformanceScript);

const served = spawn(
  process.execPath,
  [join(root, "src", "cli", "main.ts"), "mcp", "--http", "0"],
  {
    cwd: work,
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      CADRE_MODEL: "scripted:script.yaml",
      CADRE_MCP_TOKEN: token,
    },
    stdio: ["ignore", "inherit", "pipe"],
  },
);
const ended = once(served, "close");
let failed = 0;
try {
  const url = await readUrl();
  const proxy = await startProxy(url);
  for (const revision of revisions) {
    failed += await runSuite(proxy.url, ["--requirements", revision]);
  }
  for (const scenario of scenarios) {
    failed += await runSuite(proxy.url, ["--scenario", scenario, "--force"]);
  }
  proxy.close();
} finally {
  served.kill("SIGTERM");
  await ended;
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);

async function readUrl(): Promise<URL> {
  for await (const line of createInterface({ input: served.stderr })) {
    const [, url] = /serving (\S+)$/.exec(line) ?? [];
    if (url === undefined) continue;
    // The rest is discarded, so that the process does not wait for a reader.
    served.stderr.resume();
    return new URL(url);
  }
  throw new Error("cadre mcp ended before it was serving.");
}

/** Starts a proxy, because the suite cannot send a token and names tools that stand-ins replace. Forwards the rest unchanged. */
async function startProxy(target: URL): Promise<{ url: string; close: () => void }> {
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { url: path, method } = incoming;
    const headers: OutgoingHttpHeaders = { ...incoming.headers, authorization: `Bearer ${token}` };
    const { body, name } = putStandIn(await text(incoming), work);
    if (name !== undefined) {
      headers["content-length"] = Buffer.byteLength(body);
      if (headers["mcp-name"] !== undefined) headers["mcp-name"] = name;
    }
    const sent = request({ host: target.hostname, port: target.port, path, method, headers });
    sent.on("response", (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    sent.on("error", () => outgoing.destroy());
    outgoing.on("close", () => sent.destroy());
    sent.end(body);
  };
  const server = createServer(
    (incoming, outgoing) => void pass(incoming, outgoing).catch(() => outgoing.destroy()),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}${target.pathname}`, close };
}

async function runSuite(url: string, what: readonly string[]): Promise<number> {
  console.log(`\nConformance: ${what.join(" ")}`);
  const words = ["server", "--url", url, ...what, "--expected-failures", expected];
  const child = spawn(process.execPath, [join(suite, "dist", "index.js"), ...words], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let isSummary = false;
  child.stdout.setEncoding("utf8");
  for await (const line of createInterface({ input: child.stdout })) {
    isSummary ||= /^=== SUMMARY ===|^Test Results:/.test(line);
    if (isSummary) console.log(line);
  }
  const [code] = child.exitCode === null ? await once(child, "close") : [child.exitCode];
  return Number(code);
}
