import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { CadreError } from "../errors.ts";
import type { PermissionPolicy } from "../run/permission.ts";
import { commandEnvironment, markerName } from "./command-environment.ts";
import { guardCommand } from "./control-file/guard-command.ts";
import { describeUndone, type UndoneChange } from "./control-file/undo-changes.ts";
import { createOutputSpool } from "./output-spool.ts";
import { isInside } from "./path-confinement.ts";
import { runCommand, type CommandEnd, type CommandRequest } from "./process/run-command.ts";
import {
  enterSandbox,
  type Machine,
  prepareMachine,
  type SandboxSeat,
} from "./sandbox/enter-sandbox.ts";
import type { SandboxOptions } from "./sandbox/sandbox-options.ts";
import type { ToolContext } from "./tool.ts";

/** What ending a command may take after its time is up, in milliseconds. */
export const endingMs = 10_000;

/** What commands get of this machine. */
export interface ShellOptions {
  sandbox?: SandboxOptions;
  /** The user's home folder: commands get an empty one in its place, with toolchains. Absolute. */
  home: string;
  /** What commands must not see; absolute, symlinks resolved. */
  hiddenFolders?: readonly string[];
  /** The environment that the allowed variables are taken from. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Names of variables that pass besides PATH, HOME and the like. */
  passedVariables?: readonly string[];
}

/** Where a command belongs. */
export interface ShellPlace extends Pick<
  ToolContext,
  "runId" | "stepKey" | "workspace" | "outputFolder" | "signal"
> {
  /** The rules of the run, whose denials bind its commands, too. */
  policies: readonly PermissionPolicy[];
}

/** How a command ended and what it said. */
export interface ShellEnd extends CommandEnd {
  /** Both streams, in order; the middle is left out when it is long. */
  text: string;
  /** Where the whole output is, when it was long. */
  file: string | null;
  durationMs: number;
  isSandboxed: boolean;
  /** The sandbox kept it from changing anything but its own folders. */
  isReadOnly: boolean;
  /** What it did to control files, which was undone. */
  undone: readonly UndoneChange[];
  /** The rules of `sandbox.network.allow` that were missing for what it asked for. */
  missingHosts: readonly string[];
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
  let machine: Promise<Machine> | undefined;
  return {
    async run(request, place) {
      machine ??= prepareMachine(options);
      const prepared = await machine;
      const { sandbox, folder } = prepared;
      if (place.signal.aborted)
        throw new CadreError("tool-failed", "The command was not started: the run was cancelled.");
      const { workspace, outputFolder } = place;
      const hiddenFolders = [...(options.hiddenFolders ?? []), folder];
      const handedOver = [...(options.sandbox?.writable ?? []), ...hiddenFolders];
      const guard = await guardCommand(folder, {
        workspace,
        isSandboxed: sandbox !== null,
        handedOver: handedOver.filter((path) => !isInside(workspace, path)),
        quarantine: join(outputFolder, "quarantine"),
      });
      const temporary = join(outputFolder, "tmp");
      await mkdir(temporary, { recursive: true, mode: 0o700 });
      let end: Omit<ShellEnd, "undone">;
      try {
        const known = { temporary, hiddenFolders, readOnly: guard.readOnly };
        const seat = await enterSandbox(prepared, { user: options, place, known });
        const call = shellCommand(request.command, { options, place, temporary, seat });
        end = await runInPlace(request, place, call);
      } catch (error) {
        const undone = await guard.finish();
        if (undone.length === 0) throw error;
        throw new CadreError("tool-failed", `${String(error)} ${describeUndone(undone)}`);
      }
      return { ...end, undone: await guard.finish() };
    },
  };
}

async function runInPlace(
  { timeoutMs, onOutput }: ShellRequest,
  place: ShellPlace,
  call: Launch,
): Promise<Omit<ShellEnd, "undone">> {
  const spool = createOutputSpool(place);
  const startedAt = performance.now();
  const { workspace: cwd, signal } = place;
  const end = await runCommand({
    ...call,
    cwd,
    timeoutMs,
    signal,
    async onOutput(bytes) {
      onOutput?.(bytes);
      await spool.write(bytes);
    },
  });
  const output = await spool.finish();
  const durationMs = Math.round(performance.now() - startedAt);
  const missingHosts = call.network?.missing() ?? [];
  const { isSandboxed, isReadOnly } = call;
  return { ...end, ...output, durationMs, isSandboxed, isReadOnly, missingHosts };
}

/** A command as a title shows it. */
export function oneLine(command: string): string {
  const line = command.trim().replaceAll(/\s+/g, " ");
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}

interface ShellCall {
  options: ShellOptions;
  place: ShellPlace;
  temporary: string;
  /** `null` without a sandbox. */
  seat: SandboxSeat | null;
}

/** How a command line is started. */
type Launch = Pick<
  CommandRequest,
  "command" | "environment" | "marker" | "isSandboxed" | "network"
> &
  Pick<ShellEnd, "isReadOnly">;

/** One pipe for both streams keeps their order; the inner shell is the one that runs the command. */
function shellCommand(command: string, { options, place, temporary, seat }: ShellCall): Launch {
  const marker = `${markerName}=${place.runId}/${place.stepKey}/${randomBytes(8).toString("hex")}`;
  const script = `export "$1"; command -v bash >/dev/null && exec bash -c "$2" 2>&1; exec sh -c "$2" 2>&1`;
  const shell = ["/bin/sh", "-c", script, "sh", marker.replaceAll("\0", ""), command];
  const environment = commandEnvironment(options.environment, {
    passed: options.passedVariables ?? [],
    temporary: seat === null ? temporary : "/tmp",
  });
  return {
    command: seat === null ? shell : seat.wrap(shell),
    environment: { ...environment, ...seat?.network?.environment },
    marker,
    isSandboxed: seat !== null,
    isReadOnly: seat?.isReadOnly ?? false,
    ...(seat?.network !== undefined && { network: seat.network }),
  };
}
