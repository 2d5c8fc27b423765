import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { chooseToken } from "../arguments/choose-token.ts";
import { parsePort } from "../arguments/parse-port.ts";
import { claimStdout } from "../terminal/claim-stdout.ts";
import { cleanText } from "../terminal/clean-text.ts";
import { listenForInterrupts } from "../terminal/interrupts.ts";
import { openCadre } from "../run/open-cadre.ts";
import { writeError } from "../terminal/output.ts";
import { trustHelp } from "../arguments/trust-text.ts";
import { readVersion } from "../../version.ts";
import type { CadreOptions } from "../../host.ts";
import { omitUndefined } from "../../omit-undefined.ts";

interface McpOptions {
  http?: number;
  cwd?: string;
  mode?: NonNullable<CadreOptions["mode"]>;
  model?: string;
  sandbox?: NonNullable<CadreOptions["sandbox"]>;
  trust?: boolean;
}

const examples = `
Examples:
  cadre mcp --cwd ~/project --mode accept-edits
  claude mcp add cadre -- cadre mcp
  CADRE_MCP_TOKEN=… cadre mcp --http 7337

${fileURLToPath(new URL("../../../docs/mcp.md", import.meta.url))}
says how to add it to other clients.`;

/** `cadre mcp`. */
export function defineMcp(command: Command): void {
  command
    .option(
      "--http <port>",
      "serve over HTTP on this machine instead of stdio; 0: any free port",
      parsePort,
    )
    .option("--cwd <dir>", "the folder to work in (default: the current one)")
    .option("--model <model>", "the model of agents that name none")
    .option(
      "--mode <mode>",
      "what runs may do without asking: plan, read-only, deny, ask, accept-edits or auto",
    )
    .option("--sandbox <mode>", "whether commands run in a sandbox: auto, off or required")
    .option("--trust", trustHelp)
    .addHelpText("after", examples)
    .action(async (options: McpOptions) => await serve(options));
}

async function serve(options: McpOptions): Promise<void> {
  const given = toCadreOptions(options);
  // Reports configuration errors before a client waits for a reply.
  await (await openCadre(given)).close();
  const { killAllProcesses } = await import("../../host.ts");
  const ending = new AbortController();
  const interrupts = listenForInterrupts({
    onFirst: () => ending.abort(),
    onSecond() {
      killAllProcesses();
      process.exit(1);
    },
  });
  const log = (line: string): void => writeError(`cadre mcp: ${cleanText(line)}`);
  const shared = { options: given, version: readVersion(), log, signal: ending.signal };
  try {
    if (options.http === undefined) {
      const output = claimStdout(() => ending.abort());
      const { serveOverStdio } = await import("../../mcp/stdio/serve-stdio.ts");
      await serveOverStdio({ ...shared, input: process.stdin, output });
    } else {
      const { token, isNew } = chooseToken("CADRE_MCP_TOKEN");
      if (isNew) log(`the token is ${token}`);
      const onListening = (url: string): void => log(`serving ${url}`);
      const { serveOverHttp } = await import("../../mcp/http/serve-http.ts");
      await serveOverHttp({ ...shared, port: options.http, token, onListening });
    }
  } finally {
    interrupts.stop();
  }
}

function toCadreOptions({ cwd, model, mode, sandbox, trust }: McpOptions): CadreOptions {
  return { engine: "local", ...omitUndefined({ cwd, model, mode, sandbox, trust }) };
}
