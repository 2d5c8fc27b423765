import { randomInt } from "node:crypto";

const radix = 36;
/** The digits of a counter that sorts ids of the same millisecond in order of creation. */
const counterDigits = 3;
const processPart = randomInt(radix ** 4)
  .toString(radix)
  .padStart(4, "0");
let counter = randomInt(radix ** 2);

/**
 * Creates a run id, such as `mi9k2x0a-7f3q01c`. It sorts by time and is unique across processes. The part after the
 * dash is enough to name a run on the command line.
 */
export function createRunId(now: number): string {
  counter = (counter + 1) % radix ** counterDigits;
  const count = counter.toString(radix).padStart(counterDigits, "0");
  return `${now.toString(radix)}-${processPart}${count}`;
}

/** Reports whether `text` has the form of a run id. Paths contain ids, so an id from a journal must be checked. */
export function isRunId(text: string): boolean {
  return /^[0-9a-z]{1,20}-[0-9a-z]{1,20}$/.test(text);
}
