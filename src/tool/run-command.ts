import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import {
  killFamily,
  rememberFamily,
  terminateFamily,
  type ProcessFamily,
} from "./process-family.ts";

/** A command to run. */
export interface CommandRequest {
  /** Program and arguments. */
  command: readonly string[];
  cwd: string;
  environment: Record<string, string>;
  /** `NAME=value`: in the environment of what is run, and so of all that it starts. */
  marker: string;
  isSandboxed: boolean;
  timeoutMs: number;
  signal: AbortSignal;
  /** Gets the output as it comes, and slows the command down while it works. */
  onOutput(bytes: Buffer): Promise<void>;
}

/** How a command ended. */
export interface CommandEnd {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** Why it was ended; `null` when it ended itself. */
  endedBy: "timeout" | "cancel" | null;
}

/** How long a command that was asked to end may take for it. */
const graceMs = 2000;
/** How long the output of a dead command may take to arrive. */
const drainMs = 1000;

/**
 * Runs a command in a process group of its own, without input. Whatever happens, nothing it started is left when
 * this returns.
 *
 * @throws the error of the system when it cannot be started.
 */
export async function runCommand(request: CommandRequest): Promise<CommandEnd> {
  const [program = "", ...rest] = request.command;
  const child = spawn(program, rest, {
    cwd: request.cwd,
    env: request.environment,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  if (child.pid === undefined) {
    await exited;
    throw new Error(`${program} did not start.`);
  }
  const family = { pid: child.pid, marker: request.marker, isSandboxed: request.isSandboxed };
  rememberFamily(family);
  const output = Promise.all([pump(child.stdout, request), pump(child.stderr, request)]);
  // Output that cannot be taken (a full disk) would block the command for ever; the error itself comes from settle.
  output.catch(() => killFamily(family));
  const watch = watchEnd(family, request);
  try {
    const [exitCode, signal] = await exited;
    return { exitCode, signal, endedBy: watch.endedBy() };
  } finally {
    watch.stop();
    killFamily(family);
    await settle(output, child);
  }
}

/** Ends the family when its time is up or the run is cancelled: first politely, then surely. */
function watchEnd(
  family: ProcessFamily,
  request: CommandRequest,
): { endedBy(): CommandEnd["endedBy"]; stop(): void } {
  let endedBy: CommandEnd["endedBy"] = null;
  let grace: NodeJS.Timeout | undefined;
  const end = (by: "timeout" | "cancel"): void => {
    if (endedBy !== null) return;
    endedBy = by;
    terminateFamily(family);
    grace = setTimeout(() => killFamily(family), graceMs);
  };
  const cancel = (): void => end("cancel");
  const timeout = setTimeout(() => end("timeout"), request.timeoutMs);
  request.signal.addEventListener("abort", cancel, { once: true });
  if (request.signal.aborted) cancel();
  return {
    endedBy: () => endedBy,
    stop() {
      clearTimeout(timeout);
      clearTimeout(grace);
      request.signal.removeEventListener("abort", cancel);
    },
  };
}

async function pump(stream: Readable, request: CommandRequest): Promise<void> {
  for await (const bytes of stream) await request.onOutput(bytes as Buffer);
}

/** Waits for the rest of the output; a process that escaped may hold the pipe open, and is not waited for. */
async function settle(output: Promise<unknown>, child: ChildProcess): Promise<void> {
  const giveUp = setTimeout(() => {
    child.stdout?.destroy();
    child.stderr?.destroy();
  }, drainMs);
  try {
    await output;
  } catch (error) {
    if (!isPrematureClose(error)) throw error;
  } finally {
    clearTimeout(giveUp);
  }
}

function isPrematureClose(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_STREAM_PREMATURE_CLOSE";
}
