import type { z } from "zod";
import type { Clock } from "../../clock.ts";
import { checked, showValue } from "./field.ts";
import { findMissing, type Members } from "./member.ts";

const clockMembers: Members<Clock> = {
  now: "function",
  monotonic: "function",
  schedule: "function",
  scheduleIdly: "function",
};

/** The option `clock`. */
export const clockField: z.ZodType = checked((value) => {
  const missing = findMissing(value, clockMembers);
  if (missing?.length === 0) return null;
  const came = missing === null ? showValue(value) : `an object without ${missing.join(", ")}`;
  return `expected a clock; got ${came}`;
});
