import { spawn } from "node:child_process";
import { built } from "../fixtures/process/built.ts";
import { follow, node, type Project, type Started } from "./command-line.ts";

/** The path of the built command. Only files that start it import this module, because they wait for the build. */
export const commandFile: string = await built("command");

/**
 * Starts `cadre words…` in a project as a process of the built command. Its standard input is `input`; `null` leaves it open and
 * empty.
 */
export function start(
  project: Project,
  words: readonly string[],
  input: string | null = "",
): Started {
  const child = spawn(node, [commandFile, ...words], {
    cwd: project.path,
    env: project.environment,
  });
  return follow(child, input);
}
