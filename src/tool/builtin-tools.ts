import { createBashTool } from "./bash.ts";
import { createDirectoryTreeTool } from "./directory-tree.ts";
import { createEditTool } from "./edit.ts";
import { createGlobTool } from "./glob.ts";
import { createGrepTool } from "./grep.ts";
import { createLsTool } from "./ls.ts";
import { createReadTool } from "./read.ts";
import type { SandboxOptions } from "./sandbox/sandbox-options.ts";
import { createSkillTool, findSkills } from "./skill.ts";
import { createThinkTool } from "./think.ts";
import type { Tool } from "./tool.ts";
import { createWebFetchTool, type WebFetchOptions } from "./web-fetch.ts";
import { createWriteTool } from "./write.ts";

/** What the built-in tools get to know of the machine. */
export interface BuiltinToolOptions {
  /** Where the project's skills are looked for; absolute, symlinks resolved. */
  workspace: string;
  /** The user's home: its skills are offered, its secrets are hidden from commands. */
  home: string;
  /** Where the variables that commands inherit come from. Default `process.env`. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Names of variables that commands get besides PATH, HOME and the like. */
  passedVariables?: readonly string[];
  sandbox?: SandboxOptions;
  /** What commands must not see; absolute, symlinks resolved. What other tools must not is said by `hideFolders`. */
  hiddenFolders?: readonly string[];
  webFetch?: WebFetchOptions;
}

/** Makes the tools every agent can have: files, search, commands, thinking, skills and the web. */
export async function createBuiltinTools(options: BuiltinToolOptions): Promise<Tool[]> {
  const {
    workspace,
    home,
    environment = process.env,
    passedVariables,
    sandbox,
    hiddenFolders,
    webFetch,
  } = options;
  const skills = await findSkills(workspace, home);
  const readableFolders = skills.map(({ folder }) => folder);
  return [
    createReadTool({ readableFolders }),
    createEditTool(),
    createWriteTool(),
    createBashTool({
      home,
      environment,
      ...(sandbox !== undefined && { sandbox }),
      ...(hiddenFolders !== undefined && { hiddenFolders }),
      ...(passedVariables !== undefined && { passedVariables }),
    }),
    createGrepTool({ readableFolders }),
    createGlobTool(),
    createLsTool({ readableFolders }),
    createDirectoryTreeTool(),
    createThinkTool(),
    createSkillTool(skills),
    createWebFetchTool(webFetch),
  ];
}
