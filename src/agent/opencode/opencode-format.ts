// OpenCode's agent files: reads and writes them.

import type { TextFormat, UnplacedFile } from "../format/agent-file-format.ts";
import { openCodeFolders } from "./opencode-folders.ts";
import { openCodeWriter } from "./opencode-writer.ts";
import { parseOpenCode } from "./opencode.ts";

/** The format of OpenCode's agents. */
export const openCodeFormat: TextFormat = {
  name: "opencode",
  folders: openCodeFolders,
  extensions: [".md"],
  parse: parseOpenCode,
  writer: openCodeWriter,
  recognizes: isOpenCode,
  isNamelessAgent: isOpenCode,
};

/** A mode, or permissions by action. Cadre's own lists `allow`, `ask`, `deny` and `ordered` do not match. */
const ownKeys =
  /^(?:mode[ \t]*:[ \t]*["']?(?:primary|subagent|all)\b|permissions?[ \t]*:(?:[ \t]*["']?(?:allow|ask|deny)\b|\s*\n[ \t]+(?!allow|ask|deny|ordered)))/m;

function isOpenCode({ header }: UnplacedFile): boolean {
  return ownKeys.test(header);
}
