import type { Command } from "commander";
import { cleanText } from "./clean-text.ts";
import { listenForInterrupts } from "./interrupts.ts";
import { openCadre } from "./open-cadre.ts";
import { writeError } from "./output.ts";
import { readVersion } from "./version.ts";
import { serveMcpOverStdio } from "../servers.ts";
import type { CadreOptions } from "../index.ts";

interface McpOptions {
  cwd?: string;
  mode?: string;
  model?: string;
  sandbox?: string;
  trust?: boolean;
}

const examples = `
Examples:
  claude mcp add cadre -- cadre mcp
  cadre mcp --cwd ~/project --mode accept-edits

docs/mcp.md says how to add it to other clients.`;

/** `cadre mcp`. */
export function defineMcp(command: Command): void {
  command
    .option("--cwd <dir>", "the folder to work in (default: the current one)")
    .option("--model <model>", "the model of agents that name none")
    .option("--mode <mode>", "plan, deny, ask, accept-edits or auto: what runs may do unasked")
    .option("--sandbox <mode>", "auto, off or required: whether commands run in a sandbox")
    .option("--trust", "let this project's program agents run, this once")
    .addHelpText("after", examples)
    .action(async (options: McpOptions) => await serve(options));
}

async function serve(options: McpOptions): Promise<void> {
  const given = toCadreOptions(options);
  // What is wrong with the configuration is said before a client waits for an answer.
  await (await openCadre(given)).close();
  const { killAllProcesses } = await import("../index.ts");
  const ending = new AbortController();
  const interrupts = listenForInterrupts({
    onFirst: () => ending.abort(),
    onSecond() {
      killAllProcesses();
      process.exit(1);
    },
  });
  await serveMcpOverStdio({
    options: given,
    version: readVersion(),
    input: process.stdin,
    output: process.stdout,
    log: (line) => writeError(`cadre mcp: ${cleanText(line)}`),
    signal: ending.signal,
  });
  interrupts.stop();
}

function toCadreOptions({ cwd, model, mode, sandbox, trust }: McpOptions): CadreOptions {
  return {
    ...(cwd !== undefined && { cwd }),
    ...(model !== undefined && { model }),
    ...(mode !== undefined && { mode }),
    ...(sandbox !== undefined && { sandbox }),
    ...(trust !== undefined && { trust }),
  };
}
