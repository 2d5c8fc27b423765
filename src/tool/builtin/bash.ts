import { StringDecoder } from "node:string_decoder";
import { z } from "zod";
import { describeUndone } from "../control-file/undo-changes.ts";
import { readToolPrompt } from "./prompt.ts";
import type { CommandEnd } from "../process/run-command.ts";
import { createShell, endingMs, commandTitle, type ShellEnd, type ShellOptions } from "./shell.ts";
import { createTool, type Tool, type ToolContext, type ToolOutcome } from "../tool.ts";

const defaultTimeoutMs = 120_000;
const maxTimeoutMs = 600_000;
/** Linux allows 128 KiB for one argument of a program. */
const commandBytes = 120_000;
const reportEveryMs = 1000;

const input = z.object({
  command: z
    .string()
    .regex(/\S/, "expected a command, got an empty text")
    .regex(/^[^\0]*$/, "expected a command without NUL characters")
    .refine((command) => Buffer.byteLength(command) <= commandBytes, {
      message: `expected at most ${commandBytes} bytes; write a script with Write and run it`,
    }),
  timeout: z
    .number()
    .int()
    .min(1)
    .max(maxTimeoutMs)
    .default(defaultTimeoutMs)
    .describe("Milliseconds"),
  description: z.string().optional().describe("What the command does, in a few words"),
});

/** Creates the `Bash` tool. The first command detects the sandbox. */
export function createBashTool(options: ShellOptions): Tool {
  const shell = createShell(options);
  return createTool({
    name: "Bash",
    description: readToolPrompt("bash"),
    access: "execute",
    isShell: true,
    input,
    describe({ command, description, timeout }) {
      const title = `Bash: ${commandTitle(description ?? command)}`;
      return { title, subject: command, paths: null, quietMs: timeout + endingMs };
    },
    async execute({ command, timeout: timeoutMs }, context) {
      const report = createThrottledReport(context);
      const decoder = new StringDecoder("utf8");
      const onOutput = (bytes: Buffer): void => {
        report(bytes);
        if (context.isWatched()) context.showOutput(decoder.write(bytes));
      };
      const { policies } = context.caller.spec;
      const shellContext = { ...context, policies };
      const end = await shell.run({ command, timeoutMs, onOutput }, shellContext);
      return describeOutcome(end, timeoutMs);
    },
  });
}

/** Reports output as progress, at most once a second. */
function createThrottledReport(context: ToolContext): (bytes: Buffer) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (bytes) => {
    const now = performance.now();
    if (now - last < reportEveryMs) return;
    last = now;
    const line = bytes.subarray(-400).toString("utf8").trim().split("\n").at(-1) ?? "";
    context.report(commandTitle(line) || "output");
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
  "The command ran in a sandbox: it can write to the workspace, /tmp and ~/.cache, the network may be cut off, and unix sockets are refused.";
const readOnlyNote =
  "The command ran in a read-only sandbox, because this run may only read: it can write to /tmp and ~/.cache, and there is no network.";

function describeMissing(hosts: readonly string[]): string {
  return `The sandbox refused connections that sandbox.network.allow does not list: ${hosts.join(", ")}.`;
}

function endingNote(end: CommandEnd, timeoutMs: number): string {
  if (end.endedBy === "timeout")
    return `Ended at its time limit of ${timeoutMs} ms. Set a longer timeout.`;
  if (end.endedBy === "cancel") return "Ended because the run was cancelled.";
  return end.exitCode === null
    ? `Killed by ${end.signal ?? "a signal"}.`
    : `Exit code ${end.exitCode}.`;
}
