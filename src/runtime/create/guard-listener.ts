import { messageOf } from "../../engine/run-failed.ts";

/**
 * Wraps a user's listener so that it cannot disturb runs. It gets a copy of each value. Its first error or rejection is reported
 * as a process warning; later ones are dropped, and the listener is still called. `name` is the function that the user called.
 */
export function guardListener<Values extends readonly unknown[]>(
  listener: (...values: Values) => unknown,
  name: string,
): (...values: Values) => void {
  let isReported = false;
  const report = (error: unknown): void => {
    if (isReported) return;
    isReported = true;
    process.emitWarning(
      `A listener given to ${name} threw: ${messageOf(error)}. Runs are not affected, and further errors of this listener are not reported.`,
    );
  };
  return (...values) => {
    try {
      const outcome = listener(...structuredClone(values));
      if (outcome instanceof Promise) outcome.catch(report);
    } catch (error) {
      report(error);
    }
  };
}
