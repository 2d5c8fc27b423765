import { randomInt } from "node:crypto";

const radix = 36;
/** So that ids of one millisecond sort in the order of their making. */
const counterDigits = 3;
const processPart = randomInt(radix ** 4)
  .toString(radix)
  .padStart(4, "0");
let counter = randomInt(radix ** 2);

/**
 * A new run id, such as `mi9k2x0a-7f3q01c`: sortable by time, unique across processes, and short behind the dash, which
 * is enough to name a run on the command line.
 */
export function createRunId(now: number): string {
  counter = (counter + 1) % radix ** counterDigits;
  const count = counter.toString(radix).padStart(counterDigits, "0");
  return `${now.toString(radix)}-${processPart}${count}`;
}

/** Whether a text has the form of a run id: paths are made of ids, so one of a journal must not be anything else. */
export function isRunId(text: string): boolean {
  return /^[0-9a-z]{1,20}-[0-9a-z]{1,20}$/.test(text);
}

/** The part of an id behind the dash: what users see and type. */
export function shortRunId(id: string): string {
  return id.slice(id.indexOf("-") + 1);
}
