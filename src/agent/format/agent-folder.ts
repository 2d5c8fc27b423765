import { join } from "node:path";

/** A folder with files of a format. Paths are relative, with the machine's separators. */
export interface AgentFolder {
  /** The path below a project's folder. */
  path: string;
  /** The path below the user's home folder. */
  userPath: string;
  /** Whether its subfolders are also searched. */
  isDeep: boolean;
}

/** Returns a folder that is searched with its subfolders, at the same path in projects and in the home folder. */
export function deepFolder(...names: string[]): AgentFolder {
  const path = join(...names);
  return { path, userPath: path, isDeep: true };
}

/** Returns a folder that is searched without its subfolders, at the same path in projects and in the home folder. */
export function flatFolder(...names: string[]): AgentFolder {
  return { ...deepFolder(...names), isDeep: false };
}
