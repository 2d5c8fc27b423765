import {
  type Component,
  Input,
  matchesKey,
  type TuiAltScreen,
  wrapTextWithAnsi,
} from "@earendil-works/pi-tui";
import {
  createWorkQueue,
  interrupt,
  type QuestionTerminal,
} from "../../terminal/question-terminal.ts";

/** The pause in typing, in milliseconds, after which keys answer a question. Earlier keys were meant for the input. */
const typingMs = 800;

/** The rows that a question leaves to the rest of the screen, with the input or in place of it. */
const rowsBeside = { withInput: 10, alone: 7 } as const;
/** The minimum number of rows of a question. */
const minRows = 5;

/** The part of the screen with the current question. */
export interface QuestionPanel {
  readonly component: Component;
  readonly terminal: QuestionTerminal;
}

/** Options of {@link createQuestionPanel}. */
export interface QuestionPanelOptions {
  tui: TuiAltScreen;
  /** The time of the last key in the input, in milliseconds of `performance.now()`. */
  lastKeyAt: () => number;
  /** Gives the keys to the panel instead of the input. */
  focus: (panel: Component) => void;
  /** Gives the keys back to the input. */
  onDone: () => void;
  /** Called when a question appears. */
  onAsk: () => void;
  onInterrupt: () => void;
  /** Called with the number of open questions when it changes. */
  onCount: (count: number) => void;
}

/** The content of the panel. */
interface Shown {
  lines: string[];
  prompt: string;
  input: Input | undefined;
  onKey: ((data: string) => void) | undefined;
  /** The number of lines that the user has scrolled up. */
  scrolled: number;
}

/** Creates a panel without a question. */
export function createQuestionPanel(options: QuestionPanelOptions): QuestionPanel {
  const { tui, onDone, onAsk, onInterrupt, onCount } = options;
  const shown: Shown = { lines: [], prompt: "", input: undefined, onKey: undefined, scrolled: 0 };
  const component = createComponent(shown, tui);
  const inTurn = createWorkQueue();
  let count = 0;
  const countBy = (change: number): void => onCount((count += change));
  const ask = createAsk(shown, component, options);
  const terminal: QuestionTerminal = {
    get columns() {
      return tui.terminal.columns;
    },
    get rows() {
      return roomFor(tui, rowsBeside.alone);
    },
    async inTurn(work) {
      countBy(1);
      return await inTurn(work).finally(() => countBy(-1));
    },
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
      shown.scrolled = 0;
      tui.requestRender();
    },
    async askKey(prompt, signal) {
      const key = await ask<string>(prompt, signal, (resolve) => {
        shown.onKey = (data) => resolve(matchesKey(data, "ctrl+c") ? interrupt : data);
      });
      // Repeated keys that answer nothing must not repeat the prompt.
      if (shown.lines.at(-1)?.startsWith(prompt) === true) shown.lines.pop();
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

/** Gives the panel the keys and waits for `listen`. */
type AskPanel = <Value>(
  prompt: string,
  signal: AbortSignal | undefined,
  listen: (resolve: (value: Value) => void) => void,
) => Promise<Value>;

function createAsk(
  shown: Shown,
  component: Component,
  { tui, focus, lastKeyAt }: QuestionPanelOptions,
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
    focus(component);
    try {
      return await promise;
    } finally {
      signal?.removeEventListener("abort", onAbort);
      Object.assign(shown, { prompt: "", input: undefined, onKey: undefined });
      tui.requestRender();
    }
  };
}

/** Creates an input line with the initial text `text`; Esc cancels. */
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

function createComponent(shown: Shown, tui: TuiAltScreen): Component {
  const component: Component = {
    render(width) {
      if (shown.lines.length === 0 && shown.prompt === "") return [];
      const lines = shown.lines.flatMap((line) => wrapTextWithAnsi(line, width));
      const prompt = shown.prompt === "" ? [] : wrapTextWithAnsi(shown.prompt, width);
      const asked = shown.input === undefined ? prompt : shown.input.render(width);
      const isFocused = tui.getFocusedComponent() === component;
      const room = roomFor(tui, isFocused ? rowsBeside.alone : rowsBeside.withInput);
      return [...cutLines(lines, Math.max(2, room - asked.length)), ...asked];
    },
    handleInput(data) {
      const step = matchesKey(data, "up") ? 1 : matchesKey(data, "down") ? -1 : 0;
      if (step !== 0) shown.scrolled += step;
      else if (shown.input === undefined) shown.onKey?.(data);
      else shown.input.handleInput(data);
      tui.requestRender();
    },
    invalidate: () => undefined,
  };

  /** Returns the last lines, or the lines that the user has scrolled up to. */
  function cutLines(lines: readonly string[], room: number): string[] {
    const hidden = lines.length - room;
    if (hidden <= 0) {
      shown.scrolled = 0;
      return [...lines];
    }
    // The line that shows the position takes a row too.
    shown.scrolled = Math.min(hidden + 1, Math.max(0, shown.scrolled));
    const from = hidden + 1 - shown.scrolled;
    const to = from + room - 1;
    const where = `  … lines ${from + 1} to ${to} of ${lines.length}: ↑ ↓`;
    return [where, ...lines.slice(from, to)];
  }

  return component;
}

/** Returns the number of rows that a question may take. */
function roomFor({ terminal }: TuiAltScreen, beside: number): number {
  return Math.max(minRows, terminal.rows - beside);
}
