import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { CadreError } from "../errors.ts";
import { commandEnvironment, markerName } from "./command-environment.ts";
import { createOutputSpool } from "./output-spool.ts";
import { runCommand, type CommandEnd } from "./process/run-command.ts";
import { detectSandbox, type Sandbox, type SandboxOptions } from "./sandbox.ts";
import type { ToolContext } from "./tool.ts";

/** What ending a command may take after its time is up, in milliseconds. */
export const endingMs = 10_000;

/** What commands get of this machine. */
export interface ShellOptions {
  sandbox?: SandboxOptions;
  /** What secrets are hidden in. */
  home: string;
  /** The environment that the allowed variables are taken from. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Names of variables that pass besides PATH, HOME and the like. */
  passedVariables?: readonly string[];
}

/** Where a command belongs. */
export type ShellPlace = Pick<
  ToolContext,
  "runId" | "stepKey" | "workspace" | "outputFolder" | "signal"
>;

/** How a command ended and what it said. */
export interface ShellEnd extends CommandEnd {
  /** Both streams, in order; the middle is left out when it is long. */
  text: string;
  /** Where the whole output is, when it was long. */
  file: string | null;
  durationMs: number;
  isSandboxed: boolean;
}

/** What a command is run for. */
export interface ShellRequest {
  command: string;
  timeoutMs: number;
  /** Sees the output as it comes. */
  onOutput?: (bytes: Buffer) => void;
}

/** Runs command lines as strangers: scrubbed environment, sandbox, no process left behind. */
export interface Shell {
  /** @throws CadreError `tool-failed` when the run was cancelled before, `not-trusted` without the sandbox that must be. */
  run(request: ShellRequest, place: ShellPlace): Promise<ShellEnd>;
}

/** Makes a {@link Shell}. The sandbox is looked for when the first command runs. */
export function createShell(options: ShellOptions): Shell {
  let detected: Promise<Sandbox | null> | undefined;
  return {
    async run({ command, timeoutMs, onOutput }, place) {
      detected ??= detectSandbox(options.sandbox ?? {});
      const sandbox = await detected;
      if (place.signal.aborted)
        throw new CadreError("tool-failed", "The command was not started: the run was cancelled.");
      const temporary = join(place.outputFolder, "tmp");
      await mkdir(temporary, { recursive: true, mode: 0o700 });
      const spool = createOutputSpool(place);
      const startedAt = performance.now();
      const end = await runCommand({
        ...shellCommand({ command, sandbox }, { options, place, temporary }),
        cwd: place.workspace,
        isSandboxed: sandbox !== null,
        timeoutMs,
        signal: place.signal,
        async onOutput(bytes) {
          onOutput?.(bytes);
          await spool.write(bytes);
        },
      });
      const output = await spool.finish();
      const durationMs = Math.round(performance.now() - startedAt);
      return { ...end, ...output, durationMs, isSandboxed: sandbox !== null };
    },
  };
}

/** A command as a title shows it. */
export function oneLine(command: string): string {
  const line = command.trim().replaceAll(/\s+/g, " ");
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}

/** One pipe for both streams keeps their order; the inner shell is the one that runs the command. */
function shellCommand(
  call: { command: string; sandbox: Sandbox | null },
  { options, place, temporary }: { options: ShellOptions; place: ShellPlace; temporary: string },
): { command: string[]; environment: Record<string, string>; marker: string } {
  const marker = `${markerName}=${place.runId}/${place.stepKey}/${randomBytes(8).toString("hex")}`;
  const script = `export "$1"; command -v bash >/dev/null && exec bash -c "$2" 2>&1; exec sh -c "$2" 2>&1`;
  const shell = ["/bin/sh", "-c", script, "sh", marker.replaceAll("\0", ""), call.command];
  const { workspace } = place;
  return {
    command:
      call.sandbox === null
        ? shell
        : call.sandbox(shell, { workspace, temporary, home: options.home }),
    environment: commandEnvironment(options.environment, {
      passed: options.passedVariables ?? [],
      temporary: call.sandbox === null ? temporary : "/tmp",
    }),
    marker,
  };
}
