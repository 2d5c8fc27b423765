// Claude Code's agent files: reads and writes them.

import type { TextFormat } from "../format/agent-file-format.ts";
import { deepFolder } from "../format/agent-folder.ts";
import { claudeWriter } from "./claude-writer.ts";
import { parseClaude } from "./claude.ts";

/** The format of Claude Code's sub-agents. */
export const claudeFormat: TextFormat = {
  name: "claude",
  folders: [deepFolder(".claude", "agents")],
  extensions: [".md"],
  parse: parseClaude,
  writer: claudeWriter,
  recognizes: ({ header }) =>
    /^(?:color|memory|hooks|mcpServers|initialPrompt)[ \t]*:/m.test(header),
};
