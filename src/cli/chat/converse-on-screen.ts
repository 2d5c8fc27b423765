// A conversation on the whole terminal.

import type { ChatRequest } from "./chat-request.ts";
import { createTheme } from "./screen/theme.ts";
import { openWindow } from "./screen/window.ts";

/**
 * Opens the screen, and then Cadre: keys are taken from the beginning. Returns the exit code of the last turn.
 *
 * @throws what opens no conversation: CadreError `config-invalid` or `run-not-found`, for example.
 */
export async function converseOnScreen(request: ChatRequest): Promise<number> {
  const theme = createTheme(process.stdout);
  let onKey = (_data: string): boolean => false;
  const window = openWindow(theme, (data) => onKey(data));
  try {
    const { talk } = await import("./talk.ts");
    return await talk({ request, window, theme, setKeys: (handle) => (onKey = handle) });
  } finally {
    window.close();
  }
}
