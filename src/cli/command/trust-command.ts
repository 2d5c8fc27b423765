import { homedir } from "node:os";
import type { Command } from "commander";
import { cleanLine } from "../terminal/clean-text.ts";
import { writeError, writeJson, writeLine, writeMessage } from "../terminal/output.ts";
import { trustEnables } from "../arguments/trust-text.ts";

const listed = trustEnables.map((one) => `  - ${one}`).join("\n");

const example = `
In a trusted folder, and everything below it, now and after every change:
${listed}

Examples:
  cadre trust             the project the current folder is in
  cadre trust ~/src/mine
  cadre trust --list`;

interface TrustOptions {
  list?: boolean;
  json?: boolean;
}

/** `cadre trust`. */
export function defineTrust(command: Command): void {
  command
    .argument("[path]", "the folder (default: the root of this project)")
    .option("--list", "list the trusted folders instead")
    .option("--json", "write JSON: { trusted: folder }, or { folders } with --list")
    .addHelpText("after", example)
    .action(async (path: string | undefined, { list, json }: TrustOptions) => {
      const { createTrust, findProjectRoot } = await import("../../host.ts");
      const home = homedir();
      const trust = createTrust({ home, environment: process.env });
      if (list === true) {
        const folders = trust.list();
        if (json === true) writeJson({ folders });
        else if (folders.length === 0) writeError("No folder is trusted.");
        else for (const folder of folders) writeLine(cleanLine(folder));
        return;
      }
      const trusted = trust.trust(path ?? findProjectRoot({ cwd: process.cwd(), home }));
      if (json === true) writeJson({ trusted });
      else writeMessage(`Trusted: ${cleanLine(trusted)}. This means:\n${listed}`);
    });
}
