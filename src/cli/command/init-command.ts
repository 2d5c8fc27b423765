import { homedir } from "node:os";
import { relative } from "node:path";
import type { Command } from "commander";
import { writeLine, writeMessage } from "../terminal/output.ts";

const example = `
Example:
  cadre init && cadre agents`;

/** `cadre init`. */
export function defineInit(command: Command): void {
  command.addHelpText("after", example).action(async () => {
    const { createTrust, initProject } = await import("../../host.ts");
    const { written, kept } = await initProject(process.cwd());
    const trust = createTrust({ home: homedir(), environment: process.env });
    for (const path of written) writeLine(`wrote ${relative(process.cwd(), path)}`);
    for (const path of kept) writeLine(`kept  ${relative(process.cwd(), path)} (already exists)`);
    writeMessage(
      'Next: `cadre agents` lists the agents; `cadre run code-reviewer "the last commit"` tries one.',
    );
    if (trust.isTrusted(process.cwd())) return;
    writeMessage(
      "Until you type `cadre trust`, code in this folder does not run, and its configuration can only add restrictions; `cadre trust --help` says what trust enables.",
    );
  });
}
