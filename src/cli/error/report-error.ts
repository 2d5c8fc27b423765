// Errors of the command: messages and exit codes.

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { cleanText } from "../terminal/clean-text.ts";
import { exitCodeOfError, usageExit } from "./exit-code.ts";
import { nameFlags } from "../arguments/name-flags.ts";
import { writeError } from "../terminal/output.ts";
import { trustEnables } from "../arguments/trust-text.ts";
import type { CadreError } from "../../host.ts";

/** Writes an error to stderr and returns the exit code. Shows a stack trace only with `CADRE_DEBUG=1`. */
export function reportError(error: unknown): number {
  const { message, code } = describeError(error);
  writeError(`cadre: ${cleanText(message)}`);
  const isDebugging = process.env["CADRE_DEBUG"] === "1";
  if (isDebugging && error instanceof Error) writeError(cleanText(error.stack ?? ""));
  return code;
}

/** Returns an error's message for the user, and the exit code. */
export function describeError(error: unknown): { message: string; code: number } {
  if (!(error instanceof Error)) return internal(String(error));
  if (error.name === "UsageError") return { message: error.message, code: usageExit };
  // Compared by name: the class is in the library, which may not be loaded.
  if (error.name === "CadreError" && "code" in error) {
    const known = error as CadreError;
    const message = [nameFlags(known.message), ...advise(known)].join("\n");
    return { message, code: exitCodeOfError(known.code) };
  }
  return internal(error.message);
}

/** Returns advice that only applies to the command line. */
function advise({ code, details }: CadreError): string[] {
  if (code === "not-trusted") return [`In a trusted folder, ${trustEnables.join("; ")}.`];
  const isKeyless = details["kind"] === "no-model" || details["kind"] === "no-key";
  const checkout = isKeyless ? findCheckout() : undefined;
  return checkout === undefined ? [] : [`\`npm run demo\` in ${checkout} needs no key.`];
}

/** Returns the folder of Cadre's own sources; `undefined` in an installed package. */
function findCheckout(): string | undefined {
  const demo = fileURLToPath(new URL("../../../examples/01-delegate/demo.ts", import.meta.url));
  return existsSync(demo) ? dirname(dirname(dirname(demo))) : undefined;
}

function internal(reason: string): { message: string; code: number } {
  const message = `internal error: ${reason}\nSet CADRE_DEBUG=1 and repeat the command to see where.`;
  return { message, code: 1 };
}
