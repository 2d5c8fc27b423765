// Commands that serve the project over HTTP, and export families as files.

import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import type { Command } from "commander";
import { cleanText } from "../../terminal/clean-text.ts";
import { listenForInterrupts } from "../../terminal/interrupts.ts";
import { writeError, writeJsonLine } from "../../terminal/output.ts";
import { chooseToken } from "../../arguments/choose-token.ts";
import { parsePort } from "../../arguments/parse-port.ts";
import { addRightOptions, type GrantOptions } from "../../arguments/grant-options.ts";
import { UsageError } from "../../arguments/usage-error.ts";
import { readVersion } from "../../../version.ts";
import type { ProjectToServe, RunningServer } from "../../../serve/serve.ts";
import { serveProjects } from "./serve-projects.ts";
import { omitUndefined } from "../../../omit-undefined.ts";

interface ServeOptions extends Omit<GrantOptions, "waitForAnswers"> {
  port: number;
  host: string;
  open?: boolean;
  json?: boolean;
  tlsCert?: string;
  tlsKey?: string;
  insecureHttp?: boolean;
}

const examples = `
Examples:
  cadre serve --open
  cadre serve --port 7400 --mode accept-edits
  cadre serve ~/shop ~/blog --open
  CADRE_SERVE_TOKEN=… cadre serve --json
  cadre serve --host 192.168.1.5 --tls-cert cert.pem --tls-key key.pem

SIGTERM or Ctrl-C ends the server; runs that it executes stay resumable (\`cadre resume\`).`;

/** `cadre serve`. */
export function defineServe(command: Command): void {
  addRightOptions(command, "runs")
    .argument("[folders...]", "the folders of the projects to serve; default: this one")
    .option("--port <port>", "the port; 0: any free one", parsePort, 7338)
    .option("--host <host>", "the address to listen on", "127.0.0.1")
    .option("--tls-cert <file>", "the certificate for HTTPS, in PEM")
    .option("--tls-key <file>", "the key of the certificate, in PEM")
    .option(
      "--insecure-http",
      "serve an address other than loopback without TLS: anyone on the network path can read the token",
    )
    .option("--open", "open the page in a browser")
    .option("--json", "write one JSON line: { url, token, link }")
    .addHelpText("after", examples)
    .action(async (folders: string[], options: ServeOptions) => await serve(folders, options));
}

async function serve(folders: readonly string[], options: ServeOptions): Promise<void> {
  const tls = readTls(options);
  requireSafe(options, tls !== undefined);
  const { token, isNew } = chooseToken("CADRE_SERVE_TOKEN");
  const { killAllProcesses } = await import("../../../host.ts");
  const ending = new AbortController();
  const interrupts = listenForInterrupts({
    onFirst: () => ending.abort(),
    onSecond() {
      killAllProcesses();
      process.exit(1);
    },
  });
  const { host, port } = options;
  try {
    await serveProjects({
      cwd: process.cwd(),
      folders,
      rights: options,
      user: { home: homedir(), environment: process.env },
      version: readVersion(),
      token,
      host,
      port,
      ...omitUndefined({ tls }),
      write: writeError,
      signal: ending.signal,
      onListening: async (server, projects) =>
        await announce(server, projects, { ...options, token, isNew }),
    });
  } finally {
    interrupts.stop();
  }
}

/** Says where the server listens and how to sign in. */
async function announce(
  { url, createLink }: RunningServer,
  projects: readonly ProjectToServe[],
  { token, isNew, json, open }: ServeOptions & { token: string; isNew: boolean },
): Promise<void> {
  const link = createLink();
  if (json === true) {
    writeJsonLine({ url, token, link });
  } else {
    writeError(`Serving ${url}`);
    writeError(`Open ${link} (works once, for ten minutes)`);
    if (isNew) writeError(`Token for programs: ${token}`);
  }
  for (const { cadre, path } of projects) {
    const left = await cadre.resumable();
    if (left.length === 0) continue;
    const what = left.length === 1 ? "family has" : "families have";
    const where = projects.length === 1 ? "" : ` of ${path}`;
    writeError(
      cleanText(
        `${left.length} ${what}${where} no process; the page or \`cadre resume\` continues them.`,
      ),
    );
  }
  if (open === true) {
    const { openBrowser } = await import("../../terminal/open-browser.ts");
    await openBrowser(link);
  }
}

function readTls({ tlsCert, tlsKey }: ServeOptions): { cert: string; key: string } | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new UsageError("Expected both --tls-cert and --tls-key; got one of them.");
  }
  return { cert: readPem(tlsCert), key: readPem(tlsKey) };
}

function readPem(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`Expected a file in PEM at ${path}: ${String(error)}`);
  }
}

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/;

/** @throws UsageError when the token would travel unencrypted over a network without --insecure-http. */
function requireSafe({ host, insecureHttp }: ServeOptions, hasTls: boolean): void {
  if (loopback.test(host) || hasTls || insecureHttp === true) return;
  throw new UsageError(
    `Expected --tls-cert and --tls-key with --host ${host}, which other machines can reach. --insecure-http serves it in the clear.`,
  );
}
