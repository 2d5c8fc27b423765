/** Handlers for requests of the user or the system to end the command. */
export interface InterruptHandlers {
  /** The first request: end gracefully. */
  onFirst: (signal: string) => void;
  /** A further request: end now. */
  onSecond: () => void;
}

/** Listens for signals, and for a Ctrl-C that arrives as a key. */
export interface Interrupts {
  /** Reports a Ctrl-C that arrived as a key. */
  press(): void;
  stop(): void;
}

/** npm repeats the signal that the terminal has already sent: signals within so many milliseconds are the same one. */
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
