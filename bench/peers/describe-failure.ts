import { timeoutMs } from "../run-program.ts";

/** The error with which `execFile` rejects. */
interface ProcessFailure {
  code?: unknown;
  signal?: unknown;
  killed?: unknown;
  stderr?: unknown;
}

const maxCharacters = 120;

/** Describes why a program failed, short enough for a table cell: the error that ended it, in its own words if there are any. */
export function describeFailure(error: unknown): string {
  if (!isProcessFailure(error)) return String(error);
  const { code, signal, killed, stderr } = error;
  if (killed === true) return `no end within ${timeoutMs / 60_000} minutes`;
  const words = typeof stderr === "string" ? stderr : "";
  if (words.includes("heap out of memory")) return "out of memory";
  const line = words.split("\n").find((one) => /^[\w.]*Error\b/.test(one));
  if (line !== undefined) return line.slice(0, maxCharacters);
  return typeof signal === "string" ? `ended by ${signal}` : `exit code ${String(code)}`;
}

function isProcessFailure(error: unknown): error is ProcessFailure {
  return error instanceof Error && "stderr" in error;
}
