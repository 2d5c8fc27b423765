import { agentFolders } from "../../agent/agent-folder.ts";
import { projectPackFolders } from "../../aip/aip-place.ts";
import { projectRecipeFolders, userRecipeFolders } from "../../recipe/recipe-folder.ts";
import { skillFolders } from "../skill-header.ts";

/** What Cadre itself discovers, taken from the tables of discovery so that a new format is covered at once. */
const discovered: readonly string[] = [
  ...agentFolders.flatMap(({ path, userPath }) => [path, userPath]),
  ...projectRecipeFolders,
  ...userRecipeFolders,
  ...projectPackFolders,
  ...skillFolders,
];

/**
 * Files and folders that raise the rights of an agent, or that a common tool executes without being asked: configuration,
 * hooks, servers, tasks. Build files such as `package.json` are not among them: they are what an agent is there to write,
 * and run only when somebody runs them.
 */
const known: readonly string[] = [
  // Cadre and the formats it reads.
  ".cadre",
  ".aipack/config.toml",
  ".aipack/pack",
  ".aipack-base",
  // Other agents: their permissions, hooks, commands, plugins and servers.
  ".agents",
  ".aider.conf.yml",
  ".amazonq",
  ".claude.json",
  ".claude/agents",
  ".claude/commands",
  ".claude/hooks",
  ".claude/output-styles",
  ".claude/plugins",
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".claude/skills",
  ".codex",
  ".continue",
  ".copilot",
  ".crush.json",
  ".cursor",
  ".factory",
  ".gemini",
  ".github/chatmodes",
  ".github/copilot",
  ".github/hooks",
  ".github/prompts",
  ".goose",
  ".kiro",
  ".mcp.json",
  ".opencode",
  ".qwen",
  ".roo",
  ".windsurf",
  "crush.json",
  "opencode.json",
  "opencode.jsonc",
  // Editors: tasks, settings that name programs, run configurations.
  ".devcontainer",
  ".devcontainer.json",
  ".idea/runConfigurations",
  ".idea/startup.xml",
  ".idea/watcherTasks.xml",
  ".idea/workspace.xml",
  ".run",
  ".vscode",
  ".zed",
  // Version control and what runs with a commit.
  ".git",
  ".hg/hgrc",
  ".hg/sharedpath",
  ".husky",
  ".jj/repo/config.toml",
  ".lefthook",
  ".lefthook.yaml",
  ".lefthook.yml",
  ".pre-commit-config.yaml",
  "lefthook.yaml",
  "lefthook.yml",
  // Shells, and what runs when a folder is entered.
  ".bash_login",
  ".bash_logout",
  ".bash_profile",
  ".bashrc",
  ".config/git",
  ".envrc",
  ".gitconfig",
  ".mise.local.toml",
  ".mise.toml",
  ".profile",
  ".zlogin",
  ".zprofile",
  ".zshenv",
  ".zshrc",
  "mise.local.toml",
  "mise.toml",
];

/** Every control file and control folder by its path below any folder of the workspace, with `/`. */
export const controlNames: readonly string[] = [
  ...new Set([...discovered.map((path) => path.replaceAll("\\", "/")), ...known]),
];

/** A place in the tree of {@link controlNames}. */
export interface NameNode {
  /** What is here, and everything below it, is a control file. */
  isControl: boolean;
  below: ReadonlyMap<string, NameNode>;
}

type OpenNode = { isControl: boolean; below: Map<string, OpenNode> };

const root: OpenNode = { isControl: false, below: new Map() };
for (const path of controlNames) {
  let node = root;
  for (const name of path.split("/").map(foldName)) {
    const next = node.below.get(name) ?? { isControl: false, below: new Map() };
    node.below.set(name, next);
    node = next;
  }
  node.isControl = true;
}

const nowhere: NameNode[] = [];

/** The places that a name leads to from `nodes`; a control file may begin in any folder. */
export function followName(nodes: readonly NameNode[], name: string): NameNode[] {
  const folded = foldName(name);
  const first = root.below.get(folded);
  // Most names lead nowhere, and a workspace has many.
  if (nodes.length === 0) return first === undefined ? nowhere : [first];
  return [...nodes, root].flatMap((node) => node.below.get(folded) ?? nowhere);
}

/** Whether a path of names, relative to a folder, is or lies in a control file or folder. */
export function namesControlFile(names: readonly string[]): boolean {
  let nodes: NameNode[] = [];
  for (const name of names) {
    nodes = followName(nodes, name);
    if (nodes.some(({ isControl }) => isControl)) return true;
  }
  return false;
}

/** A name as the least particular file system sees it: some ignore case, some ignore invisible characters. */
export function foldName(name: string): string {
  return isPlain(name)
    ? name.toLowerCase()
    : name
        .normalize("NFKC")
        .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
        .toLowerCase();
}

function isPlain(name: string): boolean {
  return /^[\u0020-\u007E]*$/.test(name);
}
