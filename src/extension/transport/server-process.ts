import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { markerName } from "../../tool/process/command-environment.ts";
import { launchProcess } from "../../tool/process/launch-process.ts";
import type { LaunchedProcess } from "../../tool/process/launched-process.ts";
import type { ProcessLaunch } from "../launch-config.ts";
import { createTail } from "./tail.ts";

/** The process of a server, which leads its own process group. */
export interface ServerProcess {
  pid: number;
  stdin: Writable;
  stdout: Readable;
  /** Returns the end of the process's stderr. */
  stderrTail(): string;
  /**
   * Resolves when the process and all processes that it started have ended and its output was read. The value is the kind of end,
   * such as `exit code 1`.
   */
  ended: Promise<string>;
  /** Closes the input, then sends SIGTERM, then SIGKILL, with a pause between the steps. Resolves when the process has ended. */
  stop(): Promise<void>;
  /** Kills the process and all processes that it started. */
  kill(): void;
}

/** The time that a server may take to end after each step, in milliseconds. */
const graceMs = 2000;
/** The time that the remaining output of an ended server may take to arrive, in milliseconds. */
const drainMs = 1000;
const stderrTailBytes = 8 * 1024;

/**
 * Starts the process of a server. All processes that it starts carry `mark` in their environment, so that survivors can be
 * found.
 *
 * @throws Error with the reason why it cannot be started.
 */
export async function startServerProcess(
  launch: ProcessLaunch,
  cwd: string,
  mark: string = `extension/${randomUUID()}`,
): Promise<ServerProcess> {
  const command = [launch.command, ...launch.args];
  const marker = `${markerName}=${mark}`;
  const request = { ...launch, command, cwd, marker, isSandboxed: false, hasInput: true };
  try {
    return watchProcess(await launchProcess(request));
  } catch (error) {
    // The original message may quote a secret.
    const problem = describeStartProblem(launch.command, cwd, error as NodeJS.ErrnoException);
    throw new Error(problem, { cause: error });
  }
}

function watchProcess(launched: LaunchedProcess): ServerProcess {
  const { stdout, stderr } = launched;
  // `hasInput` guarantees a stdin.
  const stdin = launched.stdin as Writable;
  const tail = createTail(stderrTailBytes);
  stderr.on("data", (bytes: Buffer) => tail.add(bytes));
  // A broken pipe is ignored: it means that the process has ended, which is handled below.
  for (const stream of [stdin, stdout, stderr]) stream.on("error", () => undefined);
  const closed = Promise.all([stdout, stderr].map(untilClosed));
  const ended = launched.ended.then(async ({ exitCode, signal }) => {
    await within(drainMs, closed);
    return exitCode === null ? `killed by ${signal ?? "a signal"}` : `exit code ${exitCode}`;
  });
  let stopping: Promise<void> | undefined;
  async function stop(): Promise<void> {
    stdin.end();
    if (!(await within(graceMs, ended))) launched.terminate();
    if (!(await within(graceMs, ended))) launched.kill();
    await ended;
  }
  return {
    pid: launched.pid,
    stdin,
    stdout,
    stderrTail: () => tail.text(),
    ended,
    stop: () => (stopping ??= stop()),
    kill: () => launched.kill(),
  };
}

async function untilClosed(stream: Readable): Promise<void> {
  await new Promise((resolve) => {
    stream.once("close", resolve);
  });
}

/** Reports whether `event` resolves within `ms` milliseconds. */
async function within(ms: number, event: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([event.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

function describeStartProblem(
  command: string,
  cwd: string,
  { code }: NodeJS.ErrnoException,
): string {
  if (code === "ENOENT" && !existsSync(cwd)) return `its folder ${cwd} does not exist`;
  if (code === "ENOENT") return `the command ${command} was not found on the PATH`;
  if (code === "EACCES") return `the command ${command} is not executable`;
  return `it could not be started (${code ?? "unknown reason"})`;
}
