import { createContext, Script } from "node:vm";

/** Runs what the context holds as `work`; only code that a script runs can be stopped from outside. */
const script = new Script("work()");
const context: { work?: () => unknown } = {};
createContext(context);

/**
 * Does `work`, which must not wait for anything and may be stopped anywhere: for expressions and schemas of strangers,
 * which can be written so that they take for ever.
 *
 * @returns `undefined` when it took longer than `limitMs` and was stopped.
 */
export function doWithin<Value extends object>(
  limitMs: number,
  work: () => Value,
): Value | undefined {
  context.work = work;
  try {
    return script.runInContext(context, { timeout: limitMs }) as Value;
  } catch (error) {
    if (isTimeout(error)) return undefined;
    throw error;
  } finally {
    delete context.work;
  }
}

/** An error of the other context is no `Error` of this one. */
function isTimeout(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
