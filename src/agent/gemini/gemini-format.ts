// Gemini CLI's agent files: reads and writes them.

import type { TextFormat } from "../format/agent-file-format.ts";
import { flatFolder } from "../format/agent-folder.ts";
import { geminiWriter } from "./gemini-writer.ts";
import { geminiDefaults, parseGemini } from "./gemini.ts";

/** The format of Gemini CLI's sub-agents. */
export const geminiFormat: TextFormat = {
  name: "gemini",
  folders: [flatFolder(".gemini", "agents")],
  extensions: [".md"],
  // Gemini CLI does not load files that begin with `_`, such as drafts.
  ignores: (fileName) => fileName.startsWith("_"),
  parse: parseGemini,
  writer: geminiWriter,
  defaults: geminiDefaults,
  recognizes: ({ header }) =>
    /^(?:kind[ \t]*:[ \t]*["']?(?:local|remote)\b|timeout_mins[ \t]*:)/m.test(header),
};
