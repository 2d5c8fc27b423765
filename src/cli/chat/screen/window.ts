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

/** The screen of a conversation: the scrolling conversation above, the input below. */
export interface ChatWindow {
  readonly tui: TuiAltScreen;
  readonly editor: Editor;
  /** Draws again within `ms` milliseconds (default 100): many changes share one drawing. */
  touch(ms?: number): void;
  /** Shows the end of the conversation and follows new output. */
  follow(): void;
  /** Shows another conversation. */
  show(conversation: Component): void;
  /** Starts accepting texts, including one that the user sent with Enter earlier. */
  acceptTexts(): void;
  /** Shows the input again and gives it the keys. */
  focusInput(): void;
  /** Gives the keys to a part that replaces the input until {@link focusInput}. */
  replaceInput(part: Component): void;
  /** Adds a part between the conversation and the input. */
  add(part: Component): void;
  /** Removes the parts between the conversation and the input, and their notes. The input keeps its text. */
  clear(): void;
  /** Sets the lines above the input, such as waiting messages, and the line below it. */
  setNotes(above: string, below: string): void;
  /** The time of the last key in the input, in milliseconds of `performance.now()`. */
  lastKeyAt(): number;
  /** Gives the terminal back, showing the last conversation. */
  close(): void;
}

/** The line below the input until the conversation is ready. */
export const openingNote = "opening …";

const frameMs = 100;

/** Opens the screen and draws it. `onKey` gets each key first and returns `true` when it has handled the key. */
export function openWindow(theme: Theme, onKey: (data: string) => boolean): ChatWindow {
  const scrollToEndIndicator = (): string => theme.paint("dim", " ↓ more below: PageDown ");
  const tui = new TuiAltScreen(new ProcessTerminal(), false, undefined, { scrollToEndIndicator });
  const editor = new Editor(tui, theme.editor);
  // No handler is set yet: Enter must not lose the text.
  editor.disableSubmit = true;
  const conversation = new Container();
  const between = new Container();
  const [input, drawing] = [createInputArea(tui, editor), createDrawing(tui)];
  const above = new Text("", 0, 0);
  const below = new Text(theme.paint("dim", openingNote), 0, 0);
  let keyAt = -Infinity;
  /** Whether Enter was the last key before texts are accepted. */
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
  // The imports that follow would delay the requested drawing.
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

/** Draws soon: many changes share one drawing. */
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

/** Lays out the conversation so that it fills the screen above the parts below it. */
function layOut(conversation: Component, below: Component[]): Component {
  const scroll = new ScrollView(conversation, { follow: "end", primary: true });
  return new VStack([
    { component: scroll, basis: 0, grow: 1, minSize: 1 },
    { component: new VStack(below), basis: "auto", shrink: 1, minSize: 1 },
  ]);
}
