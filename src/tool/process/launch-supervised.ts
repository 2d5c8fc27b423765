import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import type { Duplex } from "node:stream";
import { getSystemErrorName } from "node:util";
import type {
  LaunchedProcess,
  LaunchRequest,
  PipedProcess,
  ProcessEnd,
} from "./launched-process.ts";
import { killFamily, sendSignal } from "./process-family.ts";

/** How long the supervisor may take to kill everything, in milliseconds; it gives up by itself after five seconds. */
const killingMs = 10_000;

/** How often a supervisor that has not answered yet is woken, in milliseconds; it usually answers within ten. */
const wakeMs = 1000;

/** The variable that distinguishes a supervisor from its processes, which do not have it. */
export const supervisorName = "CADRE_SUPERVISOR";

/**
 * Starts a program under `supervisor.pl`, which ends all processes of the program: when the program ends, on request, and when
 * this process dies. `marks` are the variables that identify the supervisor itself.
 *
 * @throws the system error when the program cannot be started.
 */
export async function launchSupervised(
  [perl, ...args]: readonly [string, ...string[]],
  request: LaunchRequest,
  marks: Readonly<Record<string, string>>,
): Promise<LaunchedProcess> {
  const message = encodeRequest(request);
  const child = spawn(perl, args, {
    cwd: request.cwd,
    // Not the environment of the program, which may contain variables that affect perl.
    env: { ...marks, [supervisorName]: "1" },
    stdio: [request.hasInput ? "pipe" : "ignore", "pipe", "pipe", "pipe"],
    detached: true,
  }) as PipedProcess;
  if (child.pid === undefined) throw (await once(child, "error"))[0];
  child.on("error", () => undefined);
  const line = openLine(child.stdio[3] as Duplex);
  const ended = waitForEnd(child, line, request);
  line.send(message);
  const started = await awaitStart(child.pid, line);
  const command = Number(/^started (\d+)$/.exec(started)?.[1] ?? 0);
  if (command === 0) throw startError(started, await ended);
  let isEnded = false;
  void ended.then(() => (isEnded = true));
  const { pid, stdin, stdout, stderr } = child;
  return {
    pid,
    stdin,
    stdout,
    stderr,
    ended,
    terminate() {
      if (!isEnded) sendSignal(pid, "SIGTERM");
    },
    kill() {
      if (isEnded) return;
      line.close();
      // Immediately, because this process may be ending; the supervisor finds the rest.
      sendSignal(-command, "SIGKILL");
      // Wakes a supervisor that the program has stopped.
      sendSignal(pid, "SIGCONT");
      const timer = setTimeout(() => sendSignal(pid, "SIGKILL"), killingMs);
      void ended.then(() => clearTimeout(timer));
    },
  };
}

/**
 * Waits for the first answer of a supervisor. The program can stop its supervisor before the answer, which must not block the
 * caller forever.
 */
async function awaitStart(pid: number, { firstAnswer }: SupervisorLine): Promise<string> {
  const wake = setInterval(() => sendSignal(pid, "SIGCONT"), wakeMs);
  const giveUp = setTimeout(() => sendSignal(pid, "SIGKILL"), killingMs);
  try {
    return await firstAnswer;
  } finally {
    clearInterval(wake);
    clearTimeout(giveUp);
  }
}

/** The socket to a supervisor. */
interface SupervisorLine {
  send(message: Buffer): void;
  /** Ends the program and all its processes. */
  close(): void;
  /** `started PID`, `failed ERRNO`, or an empty text when the supervisor ended without an answer. */
  firstAnswer: Promise<string>;
  /** All answers; resolves when the supervisor has ended. */
  answers: Promise<string>;
}

function openLine(socket: Duplex): SupervisorLine {
  const first = Promise.withResolvers<string>();
  const all = Promise.withResolvers<string>();
  let text = "";
  // A killed supervisor; its exit reports the end.
  socket.on("error", () => undefined);
  socket.on("data", (bytes: Buffer) => {
    text += bytes.toString();
    if (text.includes("\n")) first.resolve(text.slice(0, text.indexOf("\n")));
  });
  socket.on("close", () => {
    first.resolve("");
    all.resolve(text);
  });
  return {
    send: (message) => void socket.write(message),
    close: () => void socket.end(),
    firstAnswer: first.promise,
    answers: all.promise,
  };
}

async function waitForEnd(
  child: PipedProcess,
  line: SupervisorLine,
  { marker }: LaunchRequest,
): Promise<ProcessEnd> {
  const [exitCode, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  const status = /^ended (\d+)$/m.exec(await line.answers)?.[1];
  if (status !== undefined) return readStatus(Number(status));
  // The program killed its supervisor: kill its processes from here, as far as they can be found.
  if (child.pid !== undefined) killFamily({ pid: child.pid, marker, isSandboxed: false });
  return { exitCode, signal };
}

/** Decodes a status of wait(2). */
function readStatus(status: number): ProcessEnd {
  const killedBy = status & 0x7f;
  if (killedBy === 0) return { exitCode: status >> 8, signal: null };
  const name = Object.entries(constants.signals).find(([, number]) => number === killedBy)?.[0];
  return { exitCode: null, signal: (name ?? "SIGKILL") as NodeJS.Signals };
}

function encodeRequest({ command, environment }: LaunchRequest): Buffer {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const words = [...command, ...variables];
  if (words.some((word) => word.includes("\0"))) {
    // Does not quote the text, which may be a secret.
    const problem = "Expected a command and variables without NUL bytes";
    throw Object.assign(new Error(problem), { code: "ERR_INVALID_ARG_VALUE" });
  }
  const body = Buffer.from(words.join("\0"));
  return Buffer.concat([Buffer.from(`${body.length} ${command.length}\n`), body]);
}

function startError(answer: string, { exitCode, signal }: ProcessEnd): Error {
  const errno = /^failed (\d+)$/.exec(answer)?.[1];
  if (errno === undefined) {
    const how = signal ?? `exit code ${exitCode}`;
    return new Error(`The supervisor of the command ended (${how}) before it started the command`);
  }
  const code = getSystemErrorName(-Number(errno));
  return Object.assign(new Error(`The command could not be started: ${code}`), { code });
}
