// Cursor's agent files: reads and writes them.

import type { TextFormat } from "../format/agent-file-format.ts";
import { flatFolder } from "../format/agent-folder.ts";
import { cursorWriter } from "./cursor-writer.ts";
import { parseCursor } from "./cursor.ts";

/** The format of Cursor's sub-agents. */
export const cursorFormat: TextFormat = {
  name: "cursor",
  folders: [flatFolder(".cursor", "agents")],
  extensions: [".md"],
  parse: parseCursor,
  writer: cursorWriter,
  recognizes: ({ header }) => /^(?:readonly|is_background)[ \t]*:/m.test(header),
};
