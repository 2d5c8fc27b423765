// The built-in tools: files, search, commands, thinking, skills and the web.

import { createBashTool } from "./bash.ts";
import { createDirectoryTreeTool } from "./directory-tree.ts";
import { createEditTool } from "./edit.ts";
import { createGlobTool } from "./glob.ts";
import { createGrepTool } from "./grep.ts";
import { createLsTool } from "./ls.ts";
import { createReadTool } from "./read.ts";
import type { SandboxOptions } from "../sandbox/sandbox-options.ts";
import { createSkillTool, findSkills } from "../skill/skill.ts";
import { createThinkTool } from "./think.ts";
import { createTodoWriteTool } from "./todo-write.ts";
import type { Tool } from "../tool.ts";
import type { ReadOpenText } from "../unsaved/unsaved-text.ts";
import { createWebFetchTool } from "./web-fetch.ts";
import { createWebSearchTool } from "./web-search.ts";
import { createWriteTool } from "./write.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** Options of {@link createBuiltinTools}. */
export interface BuiltinToolOptions {
  /** The folder whose skills the tools offer; absolute, symlinks resolved. */
  workspace: string;
  /** The user's home folder: its skills are offered, its secrets are hidden from commands. */
  home: string;
  /** The environment that commands inherit their allowed variables from. Default `process.env`. */
  environment?: Readonly<Record<string, string | undefined>>;
  sandbox?: SandboxOptions;
  /** Folders hidden from commands; absolute, symlinks resolved. `hideFolders` hides folders from the other tools. */
  hiddenFolders?: readonly string[];
  /** Reads the files that a program has open, with their unsaved changes. */
  readOpen?: ReadOpenText;
}

/** Creates the tools that every agent can have: files, search, commands, thinking, skills and the web. */
export async function createBuiltinTools(options: BuiltinToolOptions): Promise<Tool[]> {
  const { workspace, home, environment = process.env, sandbox, hiddenFolders, readOpen } = options;
  const open = omitUndefined({ readOpen });
  const skills = await findSkills(workspace, home);
  const readableFolders = skills.map(({ folder }) => folder);
  return [
    createReadTool({ readableFolders, ...open }),
    createEditTool(open),
    createWriteTool(open),
    createBashTool({
      home,
      environment,
      ...omitUndefined({ sandbox, hiddenFolders }),
    }),
    createGrepTool({ readableFolders }),
    createGlobTool(),
    createLsTool({ readableFolders }),
    createDirectoryTreeTool(),
    createThinkTool(),
    createTodoWriteTool(),
    createSkillTool(skills),
    createWebFetchTool(),
    createWebSearchTool(),
  ];
}
