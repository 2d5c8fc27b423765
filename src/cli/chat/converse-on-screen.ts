// A conversation on the whole terminal.

import type { ChatRequest } from "./chat-request.ts";
import { writeError } from "../terminal/output.ts";
import { createTheme } from "./screen/theme.ts";
import { openWindow } from "./screen/window.ts";

/**
 * Opens the screen, and then Cadre, so that no early key is lost. Returns the exit code of the last turn.
 *
 * @throws CadreError when the conversation cannot be opened, such as `config-invalid` or `run-not-found`.
 */
export async function converseOnScreen(first: ChatRequest): Promise<number> {
  const theme = createTheme(process.stdout);
  let onKey = (_data: string): boolean => false;
  const window = openWindow(theme, (data) => onKey(data));
  let advice = "";
  try {
    const { talk } = await import("./talk.ts");
    let request = first;
    for (;;) {
      const end = await talk({ request, window, theme, setKeys: (handle) => (onKey = handle) });
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
