import { builtInFormats } from "../../agent/find-format.ts";
import { projectPackFolders } from "../../aip/location/aip-location.ts";
import { projectRecipeFolders, userRecipeFolders } from "../../recipe/recipe-folder.ts";
import { skillFolders } from "../skill/skill-header.ts";

/** The paths that Cadre's discovery reads. They come from discovery's own tables, so that a new format is covered at once. */
const discovered: readonly string[] = [
  ...builtInFormats.folders.flatMap(({ path, userPath }) => [path, userPath]),
  ...projectRecipeFolders,
  ...userRecipeFolders,
  ...projectPackFolders,
  ...skillFolders,
];

/**
 * Files and folders that raise an agent's rights, or that a common tool executes without asking: configuration, hooks, servers,
 * tasks. Build files such as `package.json` are not included: writing them is an agent's work, and they run only when a user
 * runs them.
 */
const known: readonly string[] = [
  // Cadre and the formats it reads.
  ".cadre",
  ".aipack/config.toml",
  ".aipack/pack",
  ".aipack-base",
  // Other agents: permissions, hooks, commands, plugins and servers.
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
  ".config/opencode/command",
  ".config/opencode/commands",
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
  // Version control, and programs that run with a commit.
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
  // Shells, and programs that run when a folder is entered.
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

/** A node in the tree of {@link controlNames}. */
export interface NameNode {
  /** This path and every path below it is a control file. */
  isControl: boolean;
  below: ReadonlyMap<string, NameNode>;
}

type OpenNode = { isControl: boolean; below: Map<string, OpenNode> };

const root: OpenNode = { isControl: false, below: new Map() };
const allNames = new Set<string>();

/** The paths of all control files and control folders, relative to any folder of the workspace, with `/`. */
export const controlNames: ReadonlySet<string> = allNames;

/**
 * Adds control files and control folders for all tools of this process, until it ends. Paths are relative to any folder of the
 * workspace, with `/` or the machine's own separators.
 */
export function addControlNames(paths: readonly string[]): void {
  for (const path of paths.map((one) => one.replaceAll("\\", "/"))) {
    allNames.add(path);
    let node = root;
    for (const name of path.split("/").map(foldName)) {
      const next = node.below.get(name) ?? { isControl: false, below: new Map() };
      node.below.set(name, next);
      node = next;
    }
    node.isControl = true;
  }
}

addControlNames([...discovered, ...known]);

const nowhere: NameNode[] = [];

/** Returns the nodes that a name leads to from `nodes`. A control file may begin in any folder, so the root always counts. */
export function followName(nodes: readonly NameNode[], name: string): NameNode[] {
  const folded = foldName(name);
  const first = root.below.get(folded);
  // A fast path: a workspace has many names, and most lead nowhere.
  if (nodes.length === 0) return first === undefined ? nowhere : [first];
  return [...nodes, root].flatMap((node) => node.below.get(folded) ?? nowhere);
}

/** Reports whether a relative path, given as names, is a control file or lies in a control folder. */
export function namesControlFile(names: readonly string[]): boolean {
  let nodes: NameNode[] = [];
  for (const name of names) {
    nodes = followName(nodes, name);
    if (nodes.some(({ isControl }) => isControl)) return true;
  }
  return false;
}

/** Normalizes a name as the most lenient file system does: some ignore case, some ignore invisible characters. */
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
