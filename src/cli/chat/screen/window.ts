import {
  type Component,
  Container,
  Editor,
  matchesKey,
  ProcessTerminal,
  ScrollView,
  Text,
  TuiAltScreen,
  VStack,
} from "@earendil-works/pi-tui";
import type { Theme } from "./theme.ts";

/** The screen of a conversation: the conversation above, which scrolls, and the input below. */
export interface ChatWindow {
  readonly tui: TuiAltScreen;
  readonly editor: Editor;
  /** Draws again within `ms` milliseconds (default 100), so that many changes cost one drawing. */
  touch(ms?: number): void;
  /** Shows the end of the conversation again, and what is added to it from now on. */
  follow(): void;
  /** Shows another conversation. */
  show(conversation: Component): void;
  /** Takes texts from now on; also the one that Enter was typed after already. */
  acceptTexts(): void;
  /** Shows the input again, and gives it the keys. */
  focusInput(): void;
  /** Gives the keys to a part that takes the place of the input, until {@link focusInput}. */
  replaceInput(part: Component): void;
  /** Adds a part between the conversation and the input. */
  add(part: Component): void;
  /** Removes the parts between the conversation and the input, and their notes. The input keeps its text. */
  clear(): void;
  /** Sets the lines above the input, such as messages that wait, and the one below it. */
  setNotes(above: string, below: string): void;
  /** The time of the last key in the input, in milliseconds of `performance.now()`. */
  lastKeyAt(): number;
  /** Gives the terminal back, with the last conversation shown on it. */
  close(): void;
}

/** What the line below the input says until the conversation is ready. */
export const openingNote = "opening …";

const frameMs = 100;

/** Opens the screen and draws it. `onKey` gets each key first; with `true` it has taken the key. */
export function openWindow(theme: Theme, onKey: (data: string) => boolean): ChatWindow {
  const scrollToEndIndicator = (): string => theme.paint("dim", " ↓ more below: PageDown ");
  const tui = new TuiAltScreen(new ProcessTerminal(), false, undefined, { scrollToEndIndicator });
  const editor = new Editor(tui, theme.editor);
  // Until a handler is set: Enter must not lose the text.
  editor.disableSubmit = true;
  const conversation = new Container();
  const between = new Container();
  const [input, drawing] = [createInputArea(tui, editor), createDrawing(tui)];
  const above = new Text("", 0, 0);
  const below = new Text(theme.paint("dim", openingNote), 0, 0);
  let keyAt = -Infinity;
  /** Enter was the last key before texts are taken. */
  let isEntered = false;
  tui.setLayoutRoot(layOut(conversation, [between, above, input.component, below]));
  tui.addInputListener((data) => {
    if (onKey(data)) return { consume: true };
    if (tui.getFocusedComponent() !== editor) return undefined;
    keyAt = performance.now();
    isEntered = editor.disableSubmit && matchesKey(data, "enter");
    return undefined;
  });
  tui.setFocus(editor);
  tui.start();
  // What is loaded next would delay the drawing that the start has requested.
  tui.renderNow();
  return {
    tui,
    editor,
    touch: drawing.touch,
    follow: () => tui.scrollToBottom(),
    show(shown) {
      conversation.clear();
      conversation.addChild(shown);
      tui.requestRender();
    },
    acceptTexts() {
      editor.disableSubmit = false;
      if (isEntered) editor.handleInput("\r");
      isEntered = false;
    },
    focusInput: input.focus,
    replaceInput: input.replace,
    add: (part) => between.addChild(part),
    clear() {
      editor.disableSubmit = true;
      between.clear();
      above.setText("");
      below.setText("");
    },
    setNotes(upper, lower) {
      above.setText(upper);
      below.setText(lower);
      tui.requestRender();
    },
    lastKeyAt: () => keyAt,
    close() {
      drawing.stop();
      tui.setLayoutRoot(conversation);
      tui.stop();
    },
  };
}

/** Draws again soon: once for many changes. */
function createDrawing(tui: TuiAltScreen): { touch: (ms?: number) => void; stop: () => void } {
  let timer: { id: NodeJS.Timeout; at: number } | undefined;
  const draw = (): void => {
    timer = undefined;
    tui.requestRender();
  };
  return {
    touch(ms = frameMs) {
      const at = performance.now() + ms;
      if (timer !== undefined && timer.at <= at) return;
      clearTimeout(timer?.id);
      timer = { id: setTimeout(draw, ms), at };
    },
    stop: () => clearTimeout(timer?.id),
  };
}

/** The place of the input, which another part may take. */
function createInputArea(
  tui: TuiAltScreen,
  editor: Editor,
): { component: Component; focus: () => void; replace: (part: Component) => void } {
  const component = new Container();
  component.addChild(editor);
  const give = (part: Component): void => {
    tui.setFocus(part);
    tui.requestRender();
  };
  return {
    component,
    focus() {
      component.clear();
      component.addChild(editor);
      give(editor);
    },
    replace(part) {
      component.clear();
      give(part);
    },
  };
}

/** The conversation fills the screen above the parts below it. */
function layOut(conversation: Component, below: Component[]): Component {
  const scroll = new ScrollView(conversation, { follow: "end", primary: true });
  return new VStack([
    { component: scroll, basis: 0, grow: 1, minSize: 1 },
    { component: new VStack(below), basis: "auto", shrink: 1, minSize: 1 },
  ]);
}
