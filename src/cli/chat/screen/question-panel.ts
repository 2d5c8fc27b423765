import {
  type Component,
  Input,
  matchesKey,
  type TUI,
  wrapTextWithAnsi,
} from "@earendil-works/pi-tui";
import { interrupt, type QuestionTerminal } from "../../terminal/question-terminal.ts";

/** Keys that were typed so shortly before a question, in milliseconds, were meant for the text and do not answer it. */
const typingMs = 800;

/** Where questions appear on the screen, one at a time. */
export interface QuestionPanel {
  readonly component: Component;
  readonly terminal: QuestionTerminal;
  /** Whether a question is on the screen. */
  readonly isAsking: boolean;
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
  const { tui, lastKeyAt, onDone, onAsk, onInterrupt } = options;
  const shown: Shown = { lines: [], prompt: "", input: undefined, onKey: undefined };
  let last: Promise<unknown> = Promise.resolve();
  let isAsking = false;
  const component = createComponent(shown);

  /** Waits for what `listen` resolves with, with the keys on the panel. */
  async function ask<Value>(
    prompt: string,
    signal: AbortSignal | undefined,
    listen: (resolve: (value: Value) => void) => void,
  ): Promise<Value> {
    while (performance.now() - lastKeyAt() < typingMs) {
      await new Promise((resolve) => setTimeout(resolve, typingMs / 8));
    }
    const { promise, resolve, reject } = Promise.withResolvers<Value>();
    const onAbort = (): void => reject(signal?.reason as Error);
    signal?.throwIfAborted();
    signal?.addEventListener("abort", onAbort, { once: true });
    shown.prompt = prompt;
    listen(resolve);
    tui.setFocus(component);
    tui.requestRender();
    try {
      return await promise;
    } finally {
      signal?.removeEventListener("abort", onAbort);
      Object.assign(shown, { prompt: "", input: undefined, onKey: undefined });
      tui.requestRender();
    }
  }

  const terminal: QuestionTerminal = {
    get columns() {
      return tui.terminal.columns;
    },
    inTurn(work) {
      const turn = last.then(work);
      last = turn.catch(() => undefined);
      return turn;
    },
    async onScreen(work, signal) {
      signal?.throwIfAborted();
      isAsking = true;
      onAsk();
      try {
        return await work();
      } finally {
        isAsking = false;
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
        const input = new Input({ prompt });
        input.setValue(text);
        // The end of the text, where one goes on typing.
        input.handleInput("\u0005");
        input.onSubmit = resolve;
        input.onEscape = () => resolve(undefined);
        shown.input = input;
      });
      shown.lines.push(`${prompt}${line ?? ""}`);
      return line;
    },
  };
  return {
    component,
    terminal,
    get isAsking() {
      return isAsking;
    },
  };
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
