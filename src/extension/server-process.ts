import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { markerName } from "../tool/command-environment.ts";
import { launchProcess } from "../tool/process/launch-process.ts";
import type { LaunchedProcess } from "../tool/process/launched-process.ts";
import type { ProcessLaunch } from "./launch-config.ts";
import { createTail } from "./tail.ts";

/** The process of a server, the leader of a group of its own. */
export interface ServerProcess {
  pid: number;
  stdin: Writable;
  stdout: Readable;
  /** The end of what it wrote to stderr. */
  lastWords(): string;
  /** Resolves when it ended and its output was read, with how: `exit code 1`. Nothing it started is left then. */
  ended: Promise<string>;
  /** Asks it to end, by closing its input, then by a signal, then surely; resolves when it ended. */
  stop(): Promise<void>;
  /** Ends it and everything it started at once. */
  kill(): void;
}

/** How long a server may take to end after each way of asking. */
const graceMs = 2000;
/** How long the output of a dead server may take to arrive. */
const drainMs = 1000;
const lastWordsBytes = 8 * 1024;

/**
 * Starts the process of a server. Everything it starts carries `mark`, by which what is left of it can be found.
 *
 * @throws Error that says why it cannot be started.
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
    // Its own message may quote what is a secret.
    const problem = describeStartProblem(launch.command, cwd, error as NodeJS.ErrnoException);
    throw new Error(problem, { cause: error });
  }
}

function watchProcess(launched: LaunchedProcess): ServerProcess {
  const { stdout, stderr } = launched;
  // It was asked for.
  const stdin = launched.stdin as Writable;
  const tail = createTail(lastWordsBytes);
  stderr.on("data", (bytes: Buffer) => tail.add(bytes));
  // A pipe that breaks is the end of the process, which is seen as such.
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
    lastWords: () => tail.text(),
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

/** Whether `event` comes within `ms`. */
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
  if (code === "EACCES") return `the command ${command} may not be executed`;
  return `it could not be started (${code ?? "for no reason that is known"})`;
}
