import { basename, extname, join, sep } from "node:path";
import { fileStem } from "../fields/common-fields.ts";
import { type AgentFolder, deepFolder } from "../format/agent-folder.ts";

/** The folders of OpenCode's agents. All versions read both; newer versions write to the last. */
export const openCodeFolders: readonly AgentFolder[] = [
  { ...deepFolder(".opencode", "agent"), userPath: join(".config", "opencode", "agent") },
  { ...deepFolder(".opencode", "agents"), userPath: join(".config", "opencode", "agents") },
];

/** Returns the name of an agent from its path. Folders below the agent folder are part of the name. */
export function openCodeName(path: string): string {
  for (const folder of openCodeFolders.flatMap((one) => [one.path, one.userPath])) {
    const at = path.lastIndexOf(`${sep}${folder}${sep}`);
    if (at === -1) continue;
    const below = path.slice(at + folder.length + 2).split(sep);
    return [...below.slice(0, -1), basename(path, extname(path))].join("/");
  }
  return fileStem(path);
}
