// acai's agent files: reads and writes them.

import type { TextFormat } from "../format/agent-file-format.ts";
import { flatFolder } from "../format/agent-folder.ts";
import { acaiWriter } from "./acai-writer.ts";
import { parseAcai } from "./acai.ts";

/** The format of acai's sub-agents. */
export const acaiFormat: TextFormat = {
  name: "acai",
  folders: [flatFolder(".acai", "subagents")],
  extensions: [".md"],
  parse: parseAcai,
  writer: acaiWriter,
};
