/**
 * Calls `end` when `work` settles, and returns a promise that settles as `work` does. `end` must not throw. It creates one promise
 * where `finally` creates four, which matters because every step takes this path.
 */
export function onSettled<Value>(work: Promise<Value>, end: () => void): Promise<Value> {
  return work.then(
    (value) => {
      end();
      return value;
    },
    (error: unknown) => {
      end();
      throw error;
    },
  );
}
