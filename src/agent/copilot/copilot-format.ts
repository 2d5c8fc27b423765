// Agent files of Copilot and VS Code: reads and writes them.

import { join } from "node:path";
import type { TextFormat } from "../format/agent-file-format.ts";
import { flatFolder } from "../format/agent-folder.ts";
import { copilotWriter } from "./copilot-writer.ts";
import { parseCopilot } from "./copilot.ts";

/** The format of custom agents of Copilot and VS Code. */
export const copilotFormat: TextFormat = {
  name: "copilot",
  folders: [{ ...flatFolder(".github", "agents"), userPath: join(".copilot", "agents") }],
  extensions: [".md", ".agent.md", ".chatmode.md"],
  parse: parseCopilot,
  writer: copilotWriter,
  recognizes: ({ header }) =>
    /^(?:mcp-servers|handoffs|argument-hint|user-invocable|disable-model-invocation)[ \t]*:/m.test(
      header,
    ),
  isNamelessAgent: ({ path }) => path.endsWith(".agent.md"),
};
