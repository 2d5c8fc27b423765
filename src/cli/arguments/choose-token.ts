import { randomBytes } from "node:crypto";
import { UsageError } from "./usage-error.ts";

const minTokenLength = 16;

/**
 * Returns the token in the environment variable `name`, or else a new one. Other users can read the arguments of a command, but not
 * its environment.
 *
 * @throws UsageError for a token that is too short or has spaces.
 */
export function chooseToken(name: string): { token: string; isNew: boolean } {
  const given = process.env[name];
  if (given === undefined || given === "") {
    return { token: randomBytes(32).toString("base64url"), isNew: true };
  }
  if (given.length >= minTokenLength && !/\s/.test(given)) return { token: given, isNew: false };
  throw new UsageError(
    `Expected ${name} to have at least ${minTokenLength} characters and no spaces; it has ${given.length} characters.`,
  );
}
