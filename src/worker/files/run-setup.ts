import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { CadreError } from "../../errors.ts";
import type { Cadre } from "../../runtime/cadre.ts";
import { createShell, type ShellOptions } from "../../tool/builtin/shell.ts";

/** The time limit of one command, in milliseconds. */
const setupMs = 900_000;
/** The maximum length of a command's output in an error, in characters. The end of the output says what failed. */
const keptCharacters = 2000;

/**
 * Runs the commands of `worker.setup` in a new checkout, one after another, in the sandbox of agents' commands.
 *
 * @throws CadreError `tool-failed` with the last output of the first command that fails.
 */
export async function runSetup(
  { configuration, stateFolder }: Cadre,
  { folder, rootId, shell: options }: { folder: string; rootId: string; shell: ShellOptions },
): Promise<void> {
  const { setup } = configuration.config.worker;
  if (setup.length === 0) return;
  const shell = createShell({ ...options, sandbox: configuration.config.sandbox });
  const outputFolder = join(stateFolder, "outputs", rootId, "setup");
  await mkdir(outputFolder, { recursive: true, mode: 0o700 });
  const shellContext = { runId: rootId, workspace: folder, outputFolder, policies: [] };
  for (const [index, command] of setup.entries()) {
    const { signal } = new AbortController();
    const own = { ...shellContext, stepKey: `setup/${index + 1}`, signal };
    const end = await shell.run({ command, timeoutMs: setupMs }, own);
    if (end.exitCode === 0 && end.endedBy === null) continue;
    const how = end.endedBy === "timeout" ? `took longer than ${setupMs / 1000} s` : "failed";
    const output = end.text.trimEnd().slice(-keptCharacters);
    const message = `The command \`${command}\` of \`worker.setup\` ${how} (exit code ${end.exitCode}) in the checkout of the family. Its last output: ${output || "none"}`;
    throw new CadreError("tool-failed", message);
  }
}
