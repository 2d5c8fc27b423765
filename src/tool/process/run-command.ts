import type { Readable } from "node:stream";
import { launchProcess } from "./launch-process.ts";
import type { FilteredNetwork } from "../network-proxy/filtered-network.ts";
import type { LaunchedProcess, ProcessEnd } from "./launched-process.ts";

/** A command to run. */
export interface CommandRequest {
  /** Program and arguments. */
  command: readonly string[];
  cwd: string;
  environment: Record<string, string>;
  /** `NAME=value`: set in the environment of every process of the command. */
  marker: string;
  isSandboxed: boolean;
  /** The network of a sandboxed command that may reach some hosts. It is closed when the command ends. */
  network?: FilteredNetwork;
  timeoutMs: number;
  signal: AbortSignal;
  /** Receives the output as it arrives. The command is slowed down until the promise resolves. */
  onOutput(bytes: Buffer): Promise<void>;
}

/** How a command ended. */
export interface CommandEnd extends ProcessEnd {
  /** Why the command was ended; `null` when it ended by itself. */
  endedBy: "timeout" | "cancel" | null;
}

/** How long a command may take to end after SIGTERM. */
const graceMs = 2000;
/** How long the output of an ended command may take to arrive. */
const drainMs = 1000;

/**
 * Runs a command without input. None of its processes is left when this returns.
 *
 * @throws the system error when it cannot be started.
 */
export async function runCommand(request: CommandRequest): Promise<CommandEnd> {
  const launched = await launchProcess({ ...request, hasInput: false });
  const output = Promise.all([pump(launched.stdout, request), pump(launched.stderr, request)]);
  // Output that cannot be stored (a full disk) would block the command forever; settle throws the error itself.
  output.catch(() => launched.kill());
  const watch = watchEnd(launched, request);
  try {
    const end = await launched.ended;
    return { ...end, endedBy: watch.endedBy() };
  } finally {
    watch.stop();
    request.network?.close();
    await drainOutput(output, launched);
  }
}

/** Ends the command at its timeout or when the run is cancelled: with SIGTERM, then SIGKILL. */
function watchEnd(
  launched: LaunchedProcess,
  request: CommandRequest,
): { endedBy(): CommandEnd["endedBy"]; stop(): void } {
  let endedBy: CommandEnd["endedBy"] = null;
  let grace: NodeJS.Timeout | undefined;
  const end = (by: "timeout" | "cancel"): void => {
    if (endedBy !== null) return;
    endedBy = by;
    launched.terminate();
    grace = setTimeout(() => launched.kill(), graceMs);
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

/** Waits for the rest of the output, but not for an escaped process that holds the pipe open. */
async function drainOutput(output: Promise<unknown>, launched: LaunchedProcess): Promise<void> {
  const giveUp = setTimeout(() => {
    launched.stdout.destroy();
    launched.stderr.destroy();
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
