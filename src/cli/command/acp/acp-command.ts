// The command `cadre acp`, which editors start.

import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { addRightOptions, type GrantOptions, toGrants } from "../../arguments/grant-options.ts";
import { claimStdout } from "../../terminal/claim-stdout.ts";
import { cleanText } from "../../terminal/clean-text.ts";
import { listenForInterrupts } from "../../terminal/interrupts.ts";
import { writeError } from "../../terminal/output.ts";
import { readVersion } from "../../../version.ts";

const examples = `
Examples:
  cadre acp
  cadre acp --mode accept-edits --model sonnet

${fileURLToPath(new URL("../../../../docs/acp.md", import.meta.url))}
says how to add it to editors.`;

/** `cadre acp`. */
export function defineAcp(command: Command): void {
  addRightOptions(command, "sessions")
    .addHelpText("after", examples)
    .action(async (options: GrantOptions) => await serve(options));
}

async function serve(options: GrantOptions): Promise<void> {
  const ending = new AbortController();
  const output = claimStdout(() => ending.abort());
  const { killAllProcesses } = await import("../../../host.ts");
  const interrupts = listenForInterrupts({
    onFirst: () => ending.abort(),
    onSecond() {
      killAllProcesses();
      process.exit(1);
    },
  });
  const log = (line: string): void => writeError(`cadre acp: ${cleanText(line)}`);
  const { serveAcp } = await import("../../../acp/serve-acp.ts");
  const grants = { ...toGrants(options), engine: "local" as const };
  const shared = { options: grants, version: readVersion(), log };
  try {
    await serveAcp({ ...shared, input: process.stdin, output, signal: ending.signal });
  } finally {
    interrupts.stop();
  }
}
