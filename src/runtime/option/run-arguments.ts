import type { z } from "zod";
import { limitRaiseSchema } from "../../run/limit/limit-schema.ts";
import { closedObject } from "../../source/closed-object.ts";
import type { RunHandle } from "../run-handle.ts";
import type { ArgumentSchemas } from "./check-arguments.ts";
import { count, field, flag, nonEmptyText, number } from "./field.ts";
import { onFirstUse } from "../../on-first-use.ts";

/** The option `signal` of methods that wait. */
export const signalField: z.ZodType = field(
  "an AbortSignal",
  (value) => value instanceof AbortSignal,
);

/** The maximum delay of a timer, in milliseconds. */
const maxTimeoutMs = 2 ** 31 - 1;

/** The arguments of the methods of a run. */
export const runArguments: ArgumentSchemas<RunHandle> = {
  events: onFirstUse(() => ({
    0: closedObject({ after: count(0).optional(), signal: signalField.optional() }),
  })),
  journal: onFirstUse(() => ({
    0: closedObject({ after: count(0).optional(), limit: count(1).optional() }),
  })),
  stream: onFirstUse(() => ({
    0: closedObject({ descendants: flag.optional(), signal: signalField.optional() }),
  })),
  toUIMessageStream: onFirstUse(() => ({ 0: closedObject({ signal: signalField.optional() }) })),
  result: onFirstUse(() => ({
    0: closedObject({
      signal: signalField.optional(),
      timeoutMs: number(`milliseconds from 0 to ${maxTimeoutMs}`, 0, maxTimeoutMs).optional(),
    }),
  })),
  artifact: onFirstUse(() => ({ 0: nonEmptyText })),
  send: onFirstUse(() => ({ 0: nonEmptyText })),
  raise: onFirstUse(() => ({ 0: limitRaiseSchema })),
  cancel: onFirstUse(() => ({
    0: nonEmptyText,
    1: closedObject({ keepDetached: flag.optional() }),
  })),
};
