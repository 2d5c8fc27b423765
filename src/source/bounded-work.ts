import { createContext, Script } from "node:vm";

/** Runs what the context holds as `work`; only code that a script runs can be stopped from outside. */
const script = new Script("work()");
const context: { work?: () => unknown } = {};
createContext(context);

/**
 * Does `work`, which must not wait for anything and may be stopped and begun again anywhere: for expressions and schemas of
 * strangers, which can be written so that they take for ever.
 *
 * @returns `undefined` when it took longer than `limitMs` and was stopped. On a machine that is busy with other things it
 * is given more time, so that it is not stopped for that.
 */
export function doWithin<Value extends object>(
  limitMs: number,
  work: () => Value,
): Value | undefined {
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
  try {
    return script.runInContext(context, { timeout });
  } catch (error) {
    if (isTimeout(error)) return undefined;
    throw error;
  }
}

/** An error of the other context is no `Error` of this one. */
function isTimeout(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
