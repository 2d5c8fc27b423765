import { createContext, Script } from "node:vm";
import { onFirstUse } from "../on-first-use.ts";

/** Calls the `work` of the context. Node can interrupt only code that runs in a script. */
const findCaller = onFirstUse(() => {
  const context: { work?: () => unknown } = {};
  createContext(context);
  return { script: new Script("work()"), context };
});

/**
 * Runs `work` with a time limit, for untrusted expressions and schemas, which may never end. `work` must be synchronous
 * and safe to interrupt and repeat at any point.
 *
 * @returns the value, or `undefined` when `work` was stopped after `limitMs` of its own time. On a busy machine it gets
 * more wall time.
 */
export function doWithin<Value extends object>(
  limitMs: number,
  work: () => Value,
): Value | undefined {
  const { context } = findCaller();
  context.work = work;
  try {
    for (let timeout = limitMs; ; timeout *= 2) {
      const before = process.threadCpuUsage();
      const value = runWithin(timeout);
      if (value !== undefined) return value as Value;
      const { user, system } = process.threadCpuUsage(before);
      if ((user + system) / 1000 >= limitMs / 2) return undefined;
    }
  } finally {
    delete context.work;
  }
}

function runWithin(timeout: number): unknown {
  const { script, context } = findCaller();
  try {
    return script.runInContext(context, { timeout });
  } catch (error) {
    if (isTimeout(error)) return undefined;
    throw error;
  }
}

/** Compares the error code, because an error of the other context is not an instance of this context's `Error`. */
function isTimeout(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
