import type { Clock } from "../../clock.ts";

/** Waits `delayMs` on the clock. Rejects with the reason of `signal` when it aborts. */
export function sleep(
  delayMs: number,
  { clock, signal }: { clock: Clock; signal?: AbortSignal | undefined },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      cancel();
      reject(signal?.reason as Error);
    };
    const cancel = clock.schedule(delayMs, () => {
      signal?.removeEventListener("abort", leave);
      resolve();
    });
    if (signal?.aborted === true) leave();
    else signal?.addEventListener("abort", leave, { once: true });
  });
}
