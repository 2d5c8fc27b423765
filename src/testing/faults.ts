import type { Hooks } from "../engine/hook/hooks.ts";
import type { ScriptFault } from "../model/script/scripted-model.ts";

/** The number of failures. Absent: every request fails. */
export interface FaultTimes {
  times?: number;
}

/** Failures of a model, for `reply.fault` of a rule. */
export const faults: {
  /** HTTP 529. */
  overloaded(options?: FaultTimes): ScriptFault;
  /** HTTP 429, with `Retry-After` if `retryAfterSeconds` is given. */
  rateLimited(options?: FaultTimes & { retryAfterSeconds?: number }): ScriptFault;
  /** The connection breaks after the first words. */
  connectionReset(options?: FaultTimes): ScriptFault;
  /** Sends nothing until the request is aborted. */
  hang(options?: FaultTimes): ScriptFault;
} = {
  overloaded: (options = {}) => ({ kind: "status", status: 529, ...options }),
  rateLimited: (options = {}) => ({ kind: "status", status: 429, ...options }),
  connectionReset: (options = {}) => ({ kind: "drop", ...options }),
  hang: (options = {}) => ({ kind: "hang", ...options }),
};

/** Creates hooks that make calls of a tool fail with a message for the model, without executing them. */
export function failTool(
  tool: string,
  {
    message = "the test makes this call fail",
    times = Infinity,
  }: FaultTimes & { message?: string } = {},
): Hooks {
  let left = times;
  return {
    name: `failTool(${tool})`,
    beforeTool(call) {
      if (call.tool !== tool || left <= 0) return undefined;
      left -= 1;
      return { deny: message };
    },
  };
}
