import { matchesKey } from "@earendil-works/pi-tui";
import type { ChatConversation } from "../dialog/chat-conversation.ts";
import type { ChatScreen } from "./chat-screen.ts";
import type { ChatWindow } from "./window.ts";

/** Takes a key before the focused part of the screen gets it; `true` = taken. */
export type ChatKeys = (data: string) => boolean;

/** Options of {@link createKeys}. */
export interface KeysPlace {
  screen: ChatScreen;
  conversation: ChatConversation;
  window: ChatWindow;
  quit: () => void;
}

/** Creates the keys of the whole screen. */
export function createKeys({ screen, conversation, window, quit }: KeysPlace): ChatKeys {
  const { editor, tui } = window;

  function escape(): boolean {
    if (editor.isShowingAutocomplete()) return false;
    if (screen.views.goBack()) return true;
    if (conversation.active === undefined) return false;
    void conversation.interrupt();
    return true;
  }

  function cancel(): boolean {
    if (editor.getText() !== "") editor.setText("");
    else if (conversation.active === undefined) quit();
    else void conversation.interrupt();
    tui.requestRender();
    return true;
  }

  return (data) => {
    if (matchesKey(data, "ctrl+o")) {
      screen.views.toggle();
      return true;
    }
    // A question and the tree have keys of their own.
    if (tui.getFocusedComponent() !== editor) return false;
    if (matchesKey(data, "escape")) return escape();
    if (matchesKey(data, "ctrl+c")) return cancel();
    if (matchesKey(data, "ctrl+t")) return screen.tree.focus();
    if (!matchesKey(data, "ctrl+d") || editor.getText() !== "") return false;
    quit();
    return true;
  };
}
