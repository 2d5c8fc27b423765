import { messageOf } from "../../engine/to-failure.ts";

/**
 * Wraps a listener of the user's so that it cannot disturb runs. The first error it throws, or rejects with, is reported as a
 * warning of the process; later ones are dropped, and the listener is still called. `name` is what the user called.
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
      const outcome = listener(...values);
      if (outcome instanceof Promise) outcome.catch(report);
    } catch (error) {
      report(error);
    }
  };
}
