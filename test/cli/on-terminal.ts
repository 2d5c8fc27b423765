import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Ended, follow, node, type Project } from "./command-line.ts";
import { commandFile } from "./start-command.ts";
import { python } from "./python.ts";

/** Runs `cadre` on a terminal of 24 rows and 80 columns, and types `keys` when their texts appear. */
export async function onTerminal(
  project: Project,
  words: readonly string[],
  keys: readonly [string, string][] = [],
): Promise<Ended> {
  const driver = fileURLToPath(new URL("terminal.py", import.meta.url));
  const environment = { ...project.environment, TERM: "xterm-256color" };
  const [program, ...options] = python;
  const command = [
    ...options,
    driver,
    "24",
    "80",
    JSON.stringify(keys),
    node,
    commandFile,
    ...words,
  ];
  const child = spawn(program, command, { cwd: project.path, env: environment });
  return await follow(child, "").ended;
}
