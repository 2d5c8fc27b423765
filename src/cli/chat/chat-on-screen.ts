/** A conversation that uses the whole terminal. */

import { setImmediate } from "node:timers/promises";
import type { ChatRequest } from "./chat-request.ts";
import type { ConversationEnd, ConversationSetup } from "./hold-conversation.ts";
import { writeError } from "../terminal/output.ts";
import { createTheme } from "./screen/theme.ts";
import { openWindow } from "./screen/window.ts";

/**
 * Opens the screen first and then Cadre, so that no early key is lost. Returns the exit code of the last turn.
 *
 * @throws CadreError when the conversation cannot be opened, such as `config-invalid` or `run-not-found`.
 */
export async function chatOnScreen(first: ChatRequest): Promise<number> {
  const theme = createTheme(process.stdout);
  let onKey = (_data: string): boolean => false;
  const window = openWindow(theme, (data) => onKey(data));
  let advice = "";
  try {
    const { holdConversation } = await loadBetweenKeys();
    let request = first;
    for (;;) {
      const end = await holdConversation({
        request,
        window,
        theme,
        setKeys: (handle) => (onKey = handle),
      });
      if ("again" in end) {
        request = end.again;
        continue;
      }
      ({ advice } = end);
      return end.code;
    }
  } finally {
    window.close();
    if (advice !== "") writeError(advice);
  }
}

type HoldConversation = (setup: ConversationSetup) => Promise<ConversationEnd>;

/** Imports the conversation and the library, which load more slowly than the screen. Shows the keys typed so far before each import. */
async function loadBetweenKeys(): Promise<{ holdConversation: HoldConversation }> {
  await takeKeys();
  await import("../../host.ts");
  await takeKeys();
  return await import("./hold-conversation.ts");
}

/** Waits until the keys that the terminal has received are read and drawn. */
async function takeKeys(): Promise<void> {
  // Node reads input after the first `setImmediate` and before the second.
  await setImmediate();
  await setImmediate();
}
