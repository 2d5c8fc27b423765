import { cleanText } from "./clean-text.ts";
import { exitCodeOfError, usageExit } from "./exit-code.ts";
import { writeError } from "./output.ts";
import type { CadreErrorCode } from "../index.ts";

/** Says on stderr what went wrong; returns the exit code. A stack trace is shown only with `CADRE_DEBUG=1`. */
export function reportError(error: unknown): number {
  const { message, code } = describe(error);
  writeError(`cadre: ${cleanText(message)}`);
  const isDebugging = process.env["CADRE_DEBUG"] === "1";
  if (isDebugging && error instanceof Error) writeError(cleanText(error.stack ?? ""));
  return code;
}

function describe(error: unknown): { message: string; code: number } {
  if (!(error instanceof Error)) return internal(String(error));
  if (error.name === "UsageError") return { message: error.message, code: usageExit };
  // By name: the class is in the library, which may not be loaded.
  if (error.name === "CadreError" && "code" in error) {
    return { message: error.message, code: exitCodeOfError(error.code as CadreErrorCode) };
  }
  return internal(error.message);
}

function internal(reason: string): { message: string; code: number } {
  const message = `internal error: ${reason}\nSet CADRE_DEBUG=1 and repeat the command to see where.`;
  return { message, code: 1 };
}
