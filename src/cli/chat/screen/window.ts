import {
  type Component,
  Container,
  Editor,
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
  /** Draws again, at most ten times a second. */
  touch(): void;
  /** Shows another conversation. */
  show(conversation: Component): void;
  /** Gives the keys to the input. */
  focusInput(): void;
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

const frameMs = 100;

/** Opens the screen. `onKey` gets each key first; with `true` it has taken the key. */
export function openWindow(theme: Theme, onKey: (data: string) => boolean): ChatWindow {
  const tui = new TuiAltScreen(new ProcessTerminal(), false);
  const editor = new Editor(tui, theme.editor);
  // Until a handler is set: Enter must not lose the text.
  editor.disableSubmit = true;
  const conversation = new Container();
  const between = new Container();
  const above = new Text("", 0, 0);
  const below = new Text("", 0, 0);
  let keyAt = -Infinity;
  let timer: NodeJS.Timeout | undefined;
  tui.setLayoutRoot(layOut(conversation, [between, above, editor, below]));
  tui.addInputListener((data) => {
    if (onKey(data)) return { consume: true };
    if (tui.getFocusedComponent() === editor) keyAt = performance.now();
    return undefined;
  });
  tui.setFocus(editor);
  tui.start();
  return {
    tui,
    editor,
    touch() {
      timer ??= setTimeout(() => {
        timer = undefined;
        tui.requestRender();
      }, frameMs);
    },
    show(shown) {
      conversation.clear();
      conversation.addChild(shown);
      tui.requestRender();
    },
    focusInput() {
      tui.setFocus(editor);
      tui.requestRender();
    },
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
      clearTimeout(timer);
      tui.setLayoutRoot(conversation);
      tui.stop();
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
