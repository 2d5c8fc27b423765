import {
  type Component,
  Input,
  matchesKey,
  type TUI,
  wrapTextWithAnsi,
} from "@earendil-works/pi-tui";
import {
  createWorkQueue,
  interrupt,
  type QuestionTerminal,
} from "../../terminal/question-terminal.ts";

/** The pause in typing, in milliseconds, after which keys answer a question: earlier keys were meant for the text. */
const typingMs = 800;

/** The part of the screen with the current question. */
export interface QuestionPanel {
  readonly component: Component;
  readonly terminal: QuestionTerminal;
}

/** Options of {@link createQuestionPanel}. */
export interface QuestionPanelOptions {
  tui: TUI;
  /** The time of the last key in the input, in milliseconds of `performance.now()`. */
  lastKeyAt: () => number;
  /** Gives the keys back to the input. */
  onDone: () => void;
  /** Called when a question appears. */
  onAsk: () => void;
  onInterrupt: () => void;
}

/** What the panel shows. */
interface Shown {
  lines: string[];
  prompt: string;
  input: Input | undefined;
  onKey: ((data: string) => void) | undefined;
}

/** Creates a panel without a question. */
export function createQuestionPanel(options: QuestionPanelOptions): QuestionPanel {
  const { tui, onDone, onAsk, onInterrupt } = options;
  const shown: Shown = { lines: [], prompt: "", input: undefined, onKey: undefined };
  const component = createComponent(shown);
  const ask = createAsk(shown, component, options);
  const terminal: QuestionTerminal = {
    get columns() {
      return tui.terminal.columns;
    },
    inTurn: createWorkQueue(),
    async onScreen(work, signal) {
      signal?.throwIfAborted();
      onAsk();
      try {
        return await work();
      } finally {
        shown.lines = [];
        onDone();
      }
    },
    write(lines) {
      shown.lines.push(...lines);
      tui.requestRender();
    },
    async askKey(prompt, signal) {
      const key = await ask<string>(prompt, signal, (resolve) => {
        shown.onKey = (data) => resolve(matchesKey(data, "ctrl+c") ? interrupt : data);
      });
      shown.lines.push(`${prompt}${/\p{Cc}/u.test(key) ? "" : key}`);
      if (key === interrupt) onInterrupt();
      return key;
    },
    async askLine(prompt, signal, text = "") {
      const line = await ask<string | undefined>(prompt, signal, (resolve) => {
        shown.input = createInput(prompt, text, resolve);
      });
      shown.lines.push(`${prompt}${line ?? ""}`);
      return line;
    },
  };
  return { component, terminal };
}

/** Waits for `listen` while the panel has the keys. */
type AskPanel = <Value>(
  prompt: string,
  signal: AbortSignal | undefined,
  listen: (resolve: (value: Value) => void) => void,
) => Promise<Value>;

function createAsk(
  shown: Shown,
  component: Component,
  { tui, lastKeyAt }: QuestionPanelOptions,
): AskPanel {
  return async (prompt, signal, listen) => {
    while (performance.now() - lastKeyAt() < typingMs) {
      await new Promise((resolve) => setTimeout(resolve, typingMs / 8));
    }
    const { promise, resolve, reject } = Promise.withResolvers<never>();
    const onAbort = (): void => reject(signal?.reason as Error);
    signal?.throwIfAborted();
    signal?.addEventListener("abort", onAbort, { once: true });
    shown.prompt = prompt;
    listen(resolve as (value: unknown) => void);
    tui.setFocus(component);
    tui.requestRender();
    try {
      return await promise;
    } finally {
      signal?.removeEventListener("abort", onAbort);
      Object.assign(shown, { prompt: "", input: undefined, onKey: undefined });
      tui.requestRender();
    }
  };
}

/** Creates an input line, which begins with `text`; Esc cancels. */
function createInput(
  prompt: string,
  text: string,
  resolve: (line: string | undefined) => void,
): Input {
  const input = new Input({ prompt });
  input.setValue(text);
  // Moves the cursor to the end of the line.
  input.handleInput("\u0005");
  input.onSubmit = resolve;
  input.onEscape = () => resolve(undefined);
  return input;
}

function createComponent(shown: Shown): Component {
  return {
    render(width) {
      if (shown.lines.length === 0 && shown.prompt === "") return [];
      const lines = shown.lines.flatMap((line) => wrapTextWithAnsi(line, width));
      if (shown.input !== undefined) return [...lines, ...shown.input.render(width)];
      return shown.prompt === "" ? lines : [...lines, ...wrapTextWithAnsi(shown.prompt, width)];
    },
    handleInput(data) {
      if (shown.input === undefined) shown.onKey?.(data);
      else shown.input.handleInput(data);
    },
    invalidate: () => undefined,
  };
}
