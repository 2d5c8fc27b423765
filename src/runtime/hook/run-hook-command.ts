import type { Readable } from "node:stream";
import type { HookCommand } from "../../run/hook/hook-commands.ts";
import { commandEnvironment, markerName } from "../../tool/process/command-environment.ts";
import { launchProcess } from "../../tool/process/launch-process.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { JsonObject } from "../../source/json.ts";

/** The environment of hook commands. */
export interface HookCommandContext {
  /** The project's folder, absolute. */
  cwd: string;
  environment: Readonly<Record<string, string | undefined>>;
}

/** How a hook's command ended. */
export interface HookEnd {
  exitCode: number | null;
  stdout: string;
  stderr: string;
  /** Why it decided nothing. */
  problem?: string;
}

/** As in Claude Code. */
const defaultTimeoutSeconds = 600;
/** The maximum number of bytes of each stream. */
const maxOutput = 1024 * 1024;
/** The exit codes with which a shell reports that it could not start a command. */
const notStarted: Readonly<Record<number, string>> = {
  126: "could not be executed (a file needs the right to be executed: `chmod +x`)",
  127: "was not found, or it calls a command that was not found",
};

type Launched = Awaited<ReturnType<typeof launchProcess>>;

/**
 * Runs a hook's command with `input` as JSON on its standard input. None of its processes is left when this returns. The command
 * is killed when `signal` aborts.
 */
export async function runHookCommand(
  hook: HookCommand,
  { input, signal }: { input: JsonObject; signal?: AbortSignal | undefined },
  context: HookCommandContext,
): Promise<HookEnd> {
  const { timeoutSeconds = defaultTimeoutSeconds } = hook;
  const launched = await launch(hook, context);
  if ("problem" in launched) return { exitCode: null, stdout: "", stderr: "", ...launched };
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
    const tooMuch = (): void => kill(`wrote more than ${maxOutput} bytes`);
    const output = [launched.stdout, launched.stderr].map((stream) => read(stream, tooMuch));
    const { exitCode, signal: endedBy } = await launched.ended;
    const [stdout = "", stderr = ""] = await Promise.all(output);
    problem ??= endedBy === null ? notStarted[exitCode ?? 0] : `was ended by ${endedBy}`;
    return { exitCode, stdout, stderr: stderr.trim(), ...omitUndefined({ problem }) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
}

async function launch(
  { command, args, shell }: HookCommand,
  { cwd, environment }: HookCommandContext,
): Promise<Launched | { problem: string }> {
  const { TMPDIR: temporary = "/tmp" } = environment;
  const inherited = commandEnvironment(environment, { passed: [], temporary });
  // The shell replaces the variable itself.
  const fill = (text: string): string => text.replaceAll("${CLAUDE_PROJECT_DIR}", () => cwd);
  const program = shell ?? "/bin/sh";
  try {
    return await launchProcess({
      command: args === undefined ? [program, "-c", command] : [command, ...args].map(fill),
      cwd,
      environment: { ...inherited, CLAUDE_PROJECT_DIR: cwd },
      marker: `${markerName}=hook`,
      isSandboxed: false,
      hasInput: true,
    });
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    return { problem: `could not be started (${code})` };
  }
}

/** Reads a stream to its end, and keeps at most {@link maxOutput} bytes. */
async function read(stream: Readable, tooMuch: () => void): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxOutput) tooMuch();
    else chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
