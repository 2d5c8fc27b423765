import { homedir } from "node:os";
import { relative } from "node:path";
import type { Command } from "commander";
import { writeLine } from "../terminal/output.ts";

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
    writeLine("Next: `cadre agents` lists the agents;");
    writeLine('`cadre run code-reviewer "the last commit"` tries one.');
    if (trust.isTrusted(process.cwd())) return;
    writeLine(
      "Until you type `cadre trust`, code in this folder does not run, and its configuration can",
    );
    writeLine("only add restrictions; `cadre trust --help` says what trust enables.");
  });
}
