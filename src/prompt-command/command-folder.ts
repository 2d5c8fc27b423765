import { join } from "node:path";
import {
  findProjectRoot,
  projectFolders,
  type ProjectFolders,
} from "../source/file/project-root.ts";
import type { CommandStyle } from "./prompt-command.ts";

/** A folder that is searched for commands, including its subfolders. */
export interface CommandFolder {
  /** Absolute. */
  path: string;
  scope: "project" | "user";
  style: CommandStyle;
  /** The folder that its symlinks must not leave, absolute. */
  root: string;
}

const known: readonly { path: string; userPath: string; style: CommandStyle }[] = [
  { path: ".cadre/commands", userPath: ".cadre/commands", style: "claude" },
  { path: ".claude/commands", userPath: ".claude/commands", style: "claude" },
  { path: ".opencode/commands", userPath: ".config/opencode/commands", style: "opencode" },
  { path: ".opencode/command", userPath: ".config/opencode/command", style: "opencode" },
];

/** Returns the folders of commands in order of precedence: the project's, nearest first, then the user's. They may be missing. */
export function commandFolders(folders: ProjectFolders): CommandFolder[] {
  const root = findProjectRoot(folders);
  const project = projectFolders(folders).flatMap((base) =>
    known.map(({ path, style }): CommandFolder => {
      return { path: join(base, path), scope: "project", style, root };
    }),
  );
  const user = known.map(({ userPath, style }): CommandFolder => {
    const path = join(folders.home, userPath);
    return { path, scope: "user", style, root: path };
  });
  return [...project, ...user];
}
