import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { CadreError } from "../../errors.ts";
import type { PermissionPolicy } from "../../run/permission.ts";
import { commandEnvironment, markerName } from "../process/command-environment.ts";
import { guardCommand } from "../control-file/guard-command.ts";
import { describeUndone, type UndoneChange } from "../control-file/undo-changes.ts";
import { createOutputSpool } from "../output/output-spool.ts";
import { isInside } from "../../source/file/real-path.ts";
import { runCommand, type CommandEnd, type CommandRequest } from "../process/run-command.ts";
import {
  enterSandbox,
  type Machine,
  prepareMachine,
  type EnteredSandbox,
} from "../sandbox/enter-sandbox.ts";
import type { SandboxOptions } from "../sandbox/sandbox-options.ts";
import type { ToolContext } from "../tool.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** How long ending a command may take after its timeout, in milliseconds. */
export const endingMs = 10_000;

/** Options of {@link createShell}. */
export interface ShellOptions {
  sandbox?: SandboxOptions;
  /** The user's home folder, absolute. Commands see an empty folder in its place, with the toolchains. */
  home: string;
  /** Folders hidden from commands; absolute, symlinks resolved. */
  hiddenFolders?: readonly string[];
  /** The environment that the allowed variables come from. */
  environment: Readonly<Record<string, string | undefined>>;
}

/** The run and step a command belongs to. */
export interface ShellContext extends Pick<
  ToolContext,
  "runId" | "stepKey" | "workspace" | "outputFolder" | "signal"
> {
  /** The rules of the run. Their denials also restrict commands. */
  policies: readonly PermissionPolicy[];
}

/** The result of a command. */
export interface ShellEnd extends CommandEnd {
  /** Both streams in order. The middle of a long output is left out. */
  text: string;
  /** The file with the whole output, when it was long. */
  file: string | null;
  durationMs: number;
  isSandboxed: boolean;
  /** The sandbox allowed changes only in its own folders. */
  isReadOnly: boolean;
  /** Changes to control files, which were undone. */
  undone: readonly UndoneChange[];
  /** The rules that `sandbox.network.allow` lacks for the connections the command tried. */
  missingHosts: readonly string[];
}

/** A command line to run. */
export interface ShellRequest {
  command: string;
  timeoutMs: number;
  /** Receives the output as it arrives. */
  onOutput?: (bytes: Buffer) => void;
}

/** Runs untrusted command lines: in a scrubbed environment and a sandbox, leaving no process behind. */
export interface Shell {
  /** @throws CadreError `tool-failed` when the run is already cancelled, `not-trusted` when a required sandbox is missing. */
  run(request: ShellRequest, context: ShellContext): Promise<ShellEnd>;
}

/** Creates a {@link Shell}. The first command detects the sandbox. */
export function createShell(options: ShellOptions): Shell {
  let machine: Promise<Machine> | undefined;
  return {
    async run(request, context) {
      machine ??= prepareMachine(options);
      const prepared = await machine;
      const { sandbox, folder } = prepared;
      if (context.signal.aborted)
        throw new CadreError("tool-failed", "The command was not started: the run was cancelled.");
      const { workspace, outputFolder } = context;
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
        const entered = await enterSandbox(prepared, { user: options, context, known });
        const call = shellCommand(request.command, { options, context, temporary, entered });
        end = await runIn(request, context, call);
      } catch (error) {
        const undone = await guard.finish();
        if (undone.length === 0) throw error;
        throw new CadreError("tool-failed", `${String(error)} ${describeUndone(undone)}`);
      }
      return { ...end, undone: await guard.finish() };
    },
  };
}

async function runIn(
  { timeoutMs, onOutput }: ShellRequest,
  context: ShellContext,
  call: Launch,
): Promise<Omit<ShellEnd, "undone">> {
  const spool = createOutputSpool(context);
  const startedAt = performance.now();
  const { workspace: cwd, signal } = context;
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

/** Returns a command shortened for a title. */
export function commandTitle(command: string): string {
  const line = command.trim().replaceAll(/\s+/g, " ");
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}

interface ShellCall {
  options: ShellOptions;
  context: ShellContext;
  temporary: string;
  /** `null` without a sandbox. */
  entered: EnteredSandbox | null;
}

/** How to start a command line. */
type Launch = Pick<
  CommandRequest,
  "command" | "environment" | "marker" | "isSandboxed" | "network"
> &
  Pick<ShellEnd, "isReadOnly">;

/** One pipe for both streams keeps their order. The inner shell runs the command. */
function shellCommand(
  command: string,
  { options, context, temporary, entered }: ShellCall,
): Launch {
  const marker = `${markerName}=${context.runId}/${context.stepKey}/${randomBytes(8).toString("hex")}`;
  const script = `export "$1"; command -v bash >/dev/null && exec bash -c "$2" 2>&1; exec sh -c "$2" 2>&1`;
  const shell = ["/bin/sh", "-c", script, "sh", marker.replaceAll("\0", ""), command];
  const environment = commandEnvironment(options.environment, {
    passed: [],
    temporary: entered === null ? temporary : "/tmp",
  });
  return {
    command: entered === null ? shell : entered.wrap(shell),
    environment: { ...environment, ...entered?.network?.environment },
    marker,
    isSandboxed: entered !== null,
    isReadOnly: entered?.isReadOnly ?? false,
    ...omitUndefined({ network: entered?.network }),
  };
}
