import { matchesKey } from "@earendil-works/pi-tui";
import { homedir } from "node:os";
import type { ChatConversation } from "../dialog/chat-conversation.ts";
import { mentionDropped } from "../dialog/dropped-images.ts";
import type { ChatScreen } from "./chat-screen.ts";
import type { ChatWindow } from "./window.ts";

/** Handles a key before the focused part of the screen gets it; `true` means handled. */
export type ChatKeys = (data: string) => boolean;

/** Options of {@link createKeys}. */
export interface KeysOptions {
  screen: ChatScreen;
  conversation: ChatConversation;
  window: ChatWindow;
  quit: () => void;
}

/** Creates the key handler of the whole screen. */
export function createKeys({ screen, conversation, window, quit }: KeysOptions): ChatKeys {
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
    // A question and the tree handle their own keys.
    if (tui.getFocusedComponent() !== editor) return false;
    if (matchesKey(data, "escape")) return escape();
    const mentions = mentionPasted(data);
    if (mentions !== undefined) {
      editor.insertTextAtCursor(mentions);
      tui.requestRender();
      return true;
    }
    if (matchesKey(data, "ctrl+c")) return cancel();
    if (matchesKey(data, "ctrl+t")) return screen.tree.focus();
    if (!matchesKey(data, "ctrl+d") || editor.getText() !== "") return false;
    quit();
    return true;
  };
}

const paste = { begin: "\u001b[200~", end: "\u001b[201~" } as const;

/** Returns mentions in place of pasted image paths; `undefined` for any other input. */
function mentionPasted(data: string): string | undefined {
  if (!data.startsWith(paste.begin) || !data.endsWith(paste.end)) return undefined;
  const pasted = data.slice(paste.begin.length, -paste.end.length);
  return mentionDropped(pasted, { folder: process.cwd(), home: homedir() });
}
