import { z } from "zod";
import { describeUndone } from "./control-file/undo-changes.ts";
import { readPrompt } from "./prompt.ts";
import type { CommandEnd } from "./process/run-command.ts";
import { createShell, endingMs, oneLine, type ShellEnd, type ShellOptions } from "./shell.ts";
import { defineTool, type Tool, type ToolContext, type ToolOutcome } from "./tool.ts";

const defaultTimeoutMs = 120_000;
const longestTimeoutMs = 600_000;
/** One argument of a program may have 128 KiB on Linux. */
const commandBytes = 120_000;
const reportEveryMs = 1000;

/** Makes the `Bash` tool. The sandbox is looked for when the first command runs. */
export function createBashTool(options: ShellOptions): Tool {
  const shell = createShell(options);
  return defineTool({
    name: "Bash",
    description: readPrompt("bash"),
    access: "execute",
    isShell: true,
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
    async execute({ command, timeout: timeoutMs }, context) {
      const report = createThrottledReport(context);
      const { policies } = context.caller.spec;
      const place = { ...context, policies };
      const end = await shell.run({ command, timeoutMs, onOutput: report }, place);
      return describeOutcome(end, timeoutMs);
    },
  });
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

function describeOutcome(end: ShellEnd, timeoutMs: number): ToolOutcome {
  const { exitCode, signal, endedBy, durationMs, file, undone, missingHosts } = end;
  const isBad = exitCode !== 0 || endedBy !== null;
  const notes = isBad ? [endingNote(end, timeoutMs)] : [];
  if (isBad && end.isSandboxed) notes.push(end.isReadOnly ? readOnlyNote : sandboxNote);
  if (undone.length > 0) notes.push(describeUndone(undone));
  if (missingHosts.length > 0) notes.push(describeMissing(missingHosts));
  const text = end.text.trimEnd() || "(no output)";
  return {
    text: notes.length > 0 ? `${text}\n\n[${notes.join(" ")}]` : text,
    ...(notes.length > 0 && { isError: true }),
    output: { exitCode, signal, endedBy, durationMs, outputFile: file },
  };
}

const sandboxNote =
  "It ran in a sandbox: writing is possible in the workspace, /tmp and ~/.cache, the network may be cut off, and unix sockets are refused.";
const readOnlyNote =
  "It ran in a read-only sandbox, because this run may only read: writing is possible in /tmp and ~/.cache, and there is no network.";

function describeMissing(hosts: readonly string[]): string {
  return `The sandbox refused connections that sandbox.network.allow does not list: ${hosts.join(", ")}.`;
}

function endingNote(end: CommandEnd, timeoutMs: number): string {
  if (end.endedBy === "timeout")
    return `Ended after ${timeoutMs} ms, its time limit. Set timeout for more.`;
  if (end.endedBy === "cancel") return "Ended because the run was cancelled.";
  return end.exitCode === null
    ? `Killed by ${end.signal ?? "a signal"}.`
    : `Exit code ${end.exitCode}.`;
}
