// Agent files in Cadre's own format: reads and writes them.

import { deepFolder } from "../format/agent-folder.ts";
import { fileStem, isAgentName } from "../fields/common-fields.ts";
import type { TextFormat, UnplacedFile } from "../format/agent-file-format.ts";
import { nativeWriter } from "./native-writer.ts";
import { parseNative } from "./native.ts";

/** Cadre's own format. */
export const nativeFormat: TextFormat = {
  name: "cadre",
  folders: [deepFolder(".cadre", "agents")],
  extensions: [".md"],
  parse: parseNative,
  writer: nativeWriter,
  recognizes: isNative,
};

/** Keys that occur only in Cadre's own files. */
const ownKeys =
  /^(?:timeout|timeout_?seconds|temperature|runner|agents|extensions|permission_mode|permissions|max_?depth|max_turns|budget|(?:in|out)put_?schema|cache|disabled|disallowed_tools)[ \t]*:/im;

/** The maximum length of a header that is recognized as Cadre's, in characters. */
const maxOwnHeaderLength = 1300;

/** Cadre's files have their agent's name and a short description. Collections for other programs often do not. */
function isNative({ path, header }: UnplacedFile): boolean {
  if (header === "" || ownKeys.test(header)) return true;
  const name = /^name[ \t]*:[ \t]*["']?([^"'\n]*?)["']?[ \t]*$/m.exec(header)?.[1];
  return name === fileStem(path) && isAgentName(name) && header.length <= maxOwnHeaderLength;
}
