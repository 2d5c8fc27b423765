import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { CadreError } from "../errors.ts";
import { commandEnvironment, markerName } from "./command-environment.ts";
import { createOutputSpool } from "./output-spool.ts";
import { readPrompt } from "./prompt.ts";
import { runCommand, type CommandEnd } from "./run-command.ts";
import { detectSandbox, type Sandbox, type SandboxOptions } from "./sandbox.ts";
import { defineTool, type Tool, type ToolContext, type ToolOutcome } from "./tool.ts";

const defaultTimeoutMs = 120_000;
const longestTimeoutMs = 600_000;
/** One argument of a program may have 128 KiB on Linux. */
const commandBytes = 120_000;
const reportEveryMs = 1000;
/** What ending a command may take after its time is up. */
const endingMs = 10_000;

/** What commands get of this machine. */
export interface BashOptions {
  sandbox?: SandboxOptions;
  /** What secrets are hidden in. */
  home: string;
  /** The environment that the allowed variables are taken from. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Names of variables that pass besides PATH, HOME and the like. */
  passedVariables?: readonly string[];
}

/** Makes the `Bash` tool. The sandbox is looked for when the first command runs. */
export function createBashTool(options: BashOptions): Tool {
  let sandbox: Promise<Sandbox | null> | undefined;
  return defineTool({
    name: "Bash",
    description: readPrompt("bash"),
    access: "execute",
    input: z.object({
      command: z
        .string()
        .regex(/\S/, "a command is expected, got nothing")
        .regex(/^[^\0]*$/, "a command without NUL characters is expected")
        .refine((command) => Buffer.byteLength(command) <= commandBytes, {
          message: `at most ${commandBytes} bytes are expected; write a script with Write and run it`,
        }),
      timeout: z
        .number()
        .int()
        .min(1)
        .max(longestTimeoutMs)
        .default(defaultTimeoutMs)
        .describe("Milliseconds"),
      description: z.string().optional().describe("What it does, in a few words"),
    }),
    describe({ command, description, timeout }) {
      const title = `Bash: ${oneLine(description ?? command)}`;
      return { title, subject: command, paths: null, quietMs: timeout + endingMs };
    },
    async execute({ command, timeout }, context) {
      sandbox ??= detectSandbox(options.sandbox ?? {});
      return execute({ command, timeoutMs: timeout, sandbox: await sandbox }, options, context);
    },
  });
}

function oneLine(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}

async function execute(
  call: { command: string; timeoutMs: number; sandbox: Sandbox | null },
  options: BashOptions,
  context: ToolContext,
): Promise<ToolOutcome> {
  if (context.signal.aborted)
    throw new CadreError("tool-failed", "The command was not started: the run was cancelled.");
  const temporary = join(context.outputFolder, "tmp");
  await mkdir(temporary, { recursive: true, mode: 0o700 });
  const spool = createOutputSpool(context);
  const report = createThrottledReport(context);
  const startedAt = performance.now();
  const end = await runCommand({
    ...shellCommand(call, { options, context, temporary }),
    cwd: context.workspace,
    isSandboxed: call.sandbox !== null,
    timeoutMs: call.timeoutMs,
    signal: context.signal,
    async onOutput(bytes) {
      report(bytes);
      await spool.write(bytes);
    },
  });
  const output = await spool.finish();
  const durationMs = Math.round(performance.now() - startedAt);
  return describeOutcome(output, end, { ...call, durationMs });
}

/** One pipe for both streams keeps their order; the inner shell is the one that runs the command. */
function shellCommand(
  call: { command: string; sandbox: Sandbox | null },
  place: { options: BashOptions; context: ToolContext; temporary: string },
): { command: string[]; environment: Record<string, string>; marker: string } {
  const { options, context, temporary } = place;
  const marker = `${markerName}=${context.runId}/${context.stepKey}/${randomBytes(8).toString("hex")}`;
  const script = `export "$1"; command -v bash >/dev/null && exec bash -c "$2" 2>&1; exec sh -c "$2" 2>&1`;
  const shell = ["/bin/sh", "-c", script, "sh", marker.replaceAll("\0", ""), call.command];
  const { workspace } = context;
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

/** Says at most once a second that something came. */
function createThrottledReport(context: ToolContext): (bytes: Buffer) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (bytes) => {
    const now = performance.now();
    if (now - last < reportEveryMs) return;
    last = now;
    const line = bytes.subarray(-400).toString("utf8").trim().split("\n").at(-1) ?? "";
    context.report(oneLine(line) || "output");
  };
}

function describeOutcome(
  output: { text: string; file: string | null },
  end: CommandEnd,
  call: { timeoutMs: number; sandbox: Sandbox | null; durationMs: number },
): ToolOutcome {
  const hasFailed = end.exitCode !== 0 || end.endedBy !== null;
  const notes = [endingNote(end, call.timeoutMs)];
  if (hasFailed && call.sandbox !== null) {
    notes.push(
      "It ran in a sandbox: writing is possible in the workspace and /tmp only, and the network may be cut off.",
    );
  }
  const text = output.text.trimEnd() || "(no output)";
  return {
    text: hasFailed ? `${text}\n\n[${notes.join(" ")}]` : text,
    ...(hasFailed && { isError: true }),
    output: {
      exitCode: end.exitCode,
      signal: end.signal,
      endedBy: end.endedBy,
      durationMs: call.durationMs,
      outputFile: output.file,
    },
  };
}

function endingNote(end: CommandEnd, timeoutMs: number): string {
  if (end.endedBy === "timeout")
    return `Ended after ${timeoutMs} ms, its time limit. Set timeout for more.`;
  if (end.endedBy === "cancel") return "Ended because the run was cancelled.";
  return end.exitCode === null
    ? `Killed by ${end.signal ?? "a signal"}.`
    : `Exit code ${end.exitCode}.`;
}
