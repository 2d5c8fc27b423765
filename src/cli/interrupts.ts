/** What to do when the user, or the system, wants the command to end. */
export interface InterruptHandlers {
  /** The first time: end in good order. */
  onFirst: (signal: string) => void;
  /** Again: end now. */
  onSecond: () => void;
}

/** Listens for signals, and for a Ctrl-C that arrives as a key. */
export interface Interrupts {
  /** A Ctrl-C that the terminal gave us as a key. */
  press(): void;
  stop(): void;
}

/** npm passes on the signal that the terminal already sent us: what comes within so many milliseconds is the same one. */
const sameMs = 200;
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Begins to listen. */
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
