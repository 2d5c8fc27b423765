import type { z } from "zod";
import { limitRaiseSchema } from "../../run/limit/limit-schema.ts";
import { closedObject } from "../../source/closed-object.ts";
import type { RunHandle } from "../run-handle.ts";
import type { ArgumentSchemas } from "./check-arguments.ts";
import { count, field, flag, nonEmptyText, number } from "./field.ts";

/** The option `signal` of methods that wait. */
export const signalField: z.ZodType = field(
  "an AbortSignal",
  (value) => value instanceof AbortSignal,
);

/** The maximum delay of a timer, in milliseconds. */
const longestTimeoutMs = 2 ** 31 - 1;

const wait = closedObject({ signal: signalField.optional() });

/** The arguments of the methods of a run. */
export const runArguments: ArgumentSchemas<RunHandle> = {
  events: { 0: closedObject({ after: count(0).optional(), signal: signalField.optional() }) },
  journal: { 0: closedObject({ after: count(0).optional(), limit: count(1).optional() }) },
  stream: { 0: closedObject({ descendants: flag.optional(), signal: signalField.optional() }) },
  toUIMessageStream: { 0: wait },
  result: {
    0: closedObject({
      signal: signalField.optional(),
      timeoutMs: number(
        `milliseconds from 0 to ${longestTimeoutMs}`,
        0,
        longestTimeoutMs,
      ).optional(),
    }),
  },
  artifact: { 0: nonEmptyText },
  send: { 0: nonEmptyText },
  raise: { 0: limitRaiseSchema },
  cancel: { 0: nonEmptyText, 1: closedObject({ keepDetached: flag.optional() }) },
};
