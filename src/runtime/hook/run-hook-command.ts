import type { Readable } from "node:stream";
import type { HookCommand } from "../../config/hook-setting.ts";
import { commandEnvironment, markerName } from "../../tool/process/command-environment.ts";
import { launchProcess } from "../../tool/process/launch-process.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { JsonObject } from "../../source/json.ts";

/** Where the commands of hooks run. */
export interface HookPlace {
  /** The project's folder, absolute. */
  cwd: string;
  environment: Readonly<Record<string, string | undefined>>;
}

/** How the command of a hook ended. */
export interface HookEnd {
  exitCode: number | null;
  stdout: string;
  stderr: string;
  /** Why it has no exit code of its own. */
  problem?: string;
}

const defaultTimeoutSeconds = 60;
/** The most bytes of each stream. */
const mostOutput = 1024 * 1024;
const shell = "/bin/sh";

/**
 * Runs the command of a hook with `input` as JSON on its standard input. No process of it is left when this returns. The command is
 * killed when `signal` aborts.
 *
 * @throws the system error when it cannot be started.
 */
export async function runHookCommand(
  { command, timeoutSeconds = defaultTimeoutSeconds }: HookCommand,
  { input, signal }: { input: JsonObject; signal?: AbortSignal | undefined },
  { cwd, environment }: HookPlace,
): Promise<HookEnd> {
  const { TMPDIR: temporary = "/tmp" } = environment;
  const inherited = commandEnvironment(environment, { passed: [], temporary });
  const launched = await launchProcess({
    command: [shell, "-c", command],
    cwd,
    environment: { ...inherited, CLAUDE_PROJECT_DIR: cwd },
    marker: `${markerName}=hook`,
    isSandboxed: false,
    hasInput: true,
  });
  let problem: string | undefined;
  const kill = (why: string): void => {
    problem ??= why;
    launched.kill();
  };
  const cancel = (): void => kill("was ended together with its run");
  const timer = setTimeout(() => kill("took longer than its timeout"), timeoutSeconds * 1000);
  signal?.addEventListener("abort", cancel, { once: true });
  if (signal?.aborted === true) cancel();
  // A command that does not read its input closes it.
  launched.stdin?.on("error", () => undefined).end(JSON.stringify(input));
  try {
    const tooMuch = (): void => kill(`wrote more than ${mostOutput} bytes`);
    const output = [launched.stdout, launched.stderr].map((stream) => read(stream, tooMuch));
    const end = await launched.ended;
    const [stdout = "", stderr = ""] = await Promise.all(output);
    const ended = end.signal === null ? problem : (problem ?? `was ended by ${end.signal}`);
    return {
      exitCode: end.exitCode,
      stdout,
      stderr: stderr.trim(),
      ...omitUndefined({ problem: ended }),
    };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
}

/** Reads a stream to its end, and keeps no more than {@link mostOutput}. */
async function read(stream: Readable, tooMuch: () => void): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > mostOutput) tooMuch();
    else chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
