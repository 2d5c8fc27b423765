import { type ReadLineOptions, readLine } from "./read-line.ts";
import { readKey } from "./read-key.ts";

/** A terminal that shows one question at a time. */
export interface QuestionTerminal {
  readonly columns: number;
  /** The number of rows that a question may take; absent where the user can scroll back. */
  readonly rows?: number;
  /** Calls `work` after all earlier work. */
  inTurn<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Calls `work` with nothing else on the screen. Rejects if `signal` has aborted by then. */
  onScreen<Value>(work: () => Promise<Value>, signal?: AbortSignal): Promise<Value>;
  write(lines: readonly string[]): void;
  /** Asks for one key. Ctrl-C ends the runs and returns `interrupt`. */
  askKey(prompt: string, signal: AbortSignal): Promise<string>;
  /** Asks for a line, with the initial text `text`; `undefined` at Ctrl-D and Ctrl-C. Ctrl-C also ends the runs. */
  askLine(prompt: string, signal?: AbortSignal, text?: string): Promise<string | undefined>;
}

/** Returns a function that calls work after all earlier work. */
export function createWorkQueue(): QuestionTerminal["inTurn"] {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
}

/** The key Ctrl-C. */
export const interrupt = "\u0003";

/** Options of {@link createQuestionTerminal}. */
export interface QuestionTerminalOptions extends ReadLineOptions {
  /** Clears the screen for a question; `resume` restores it. */
  pause?: () => Promise<void>;
  resume?: () => void;
}

/** Returns a terminal for questions; `undefined` without a terminal. */
export function createQuestionTerminal(
  options: QuestionTerminalOptions,
): QuestionTerminal | undefined {
  const { input, output, onInterrupt } = options;
  if (!input.isTTY || !output.isTTY) return undefined;
  return {
    get columns() {
      return output.columns;
    },
    inTurn: createWorkQueue(),
    async onScreen(work, signal) {
      signal?.throwIfAborted();
      await options.pause?.();
      try {
        return await work();
      } finally {
        options.resume?.();
      }
    },
    write: (lines) => void output.write(`${lines.join("\n")}\n`),
    async askKey(prompt, signal) {
      const key = await readKey(input, signal, () => output.write(prompt));
      output.write(/\p{Cc}/u.test(key) ? "\n" : `${key}\n`);
      if (key === interrupt) onInterrupt?.();
      return key;
    },
    askLine: async (prompt, signal, text) => await readLine(options, prompt, signal, text),
  };
}
