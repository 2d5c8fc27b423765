import { readFileSync } from "node:fs";
import { Command } from "commander";
import { defineAgents } from "./agents-command.ts";
import { defineCancel } from "./cancel-command.ts";
import { defineCheck } from "./check-command.ts";
import { defineConfig } from "./config-command.ts";
import { defineEvents } from "./events-command.ts";
import { defineInit } from "./init-command.ts";
import { definePrune } from "./prune-command.ts";
import { defineResume } from "./resume-command.ts";
import { defineRun } from "./run-command.ts";
import { defineRuns } from "./runs-command.ts";
import { defineShow } from "./show-command.ts";
import { defineTree } from "./tree-command.ts";
import { defineTrust } from "./trust-command.ts";

const example = `
Examples:
  cadre run "find out why the tests fail, and fix it"
  cadre run code-reviewer src/index.ts
  cadre tree last

\`cadre COMMAND --help\` says more about each.`;

/** The command line's grammar. `setExit` is told the exit code of a command that came to its end. */
export function createProgram(setExit: (code: number) => void): Command {
  const program = new Command("cadre")
    .description("Delegate work to sub-agents.")
    .version(readVersion(), "--version", "show the version")
    .helpOption("-h, --help", "show help")
    .exitOverride()
    .addHelpText("after", example);
  defineRun(program, setExit);
  defineResume(program, setExit);
  defineRuns(program);
  defineShow(program);
  defineTree(program);
  defineEvents(program);
  defineCancel(program);
  definePrune(program);
  defineAgents(program);
  defineCheck(program, setExit);
  defineInit(program);
  defineConfig(program, setExit);
  defineTrust(program);
  return program;
}

/** The same two folders up from the sources and from the build. */
function readVersion(): string {
  const file = new URL("../../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { version: string };
  return version;
}
