/** Handlers of the user's or the system's requests to end the command. */
export interface InterruptHandlers {
  /** The first request: end gracefully. */
  onFirst: (signal: string) => void;
  /** A further request: end now. */
  onSecond: () => void;
}

/** Listens for signals and for Ctrl-C as a key. */
export interface Interrupts {
  /** Reports a Ctrl-C that arrived as a key. */
  press(): void;
  stop(): void;
}

/** npm repeats a signal that the terminal has already sent: signals within this many milliseconds count as one. */
const sameMs = 200;
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Starts listening. */
export function listenForInterrupts({ onFirst, onSecond }: InterruptHandlers): Interrupts {
  let firstAt: number | undefined;
  const interrupt = (signal: string): void => {
    const now = Date.now();
    if (firstAt === undefined) {
      firstAt = now;
      onFirst(signal);
    } else if (now - firstAt > sameMs) {
      onSecond();
    }
  };
  for (const signal of signals) process.on(signal, interrupt);
  return {
    press: () => interrupt("SIGINT"),
    stop() {
      for (const signal of signals) process.off(signal, interrupt);
    },
  };
}
