import { join } from "node:path";

/** A folder in which a format's files are found. Paths are relative, in the machine's own separators. */
export interface AgentFolder {
  /** Below a project's folder. */
  path: string;
  /** Below the user's home. */
  userPath: string;
  /** Whether folders below it are searched too. */
  isDeep: boolean;
}

/** Returns a folder that is searched with the folders below it, at the same path in projects and in the home. */
export function deepFolder(...names: string[]): AgentFolder {
  const path = join(...names);
  return { path, userPath: path, isDeep: true };
}

/** Returns a folder that is searched without the folders below it, at the same path in projects and in the home. */
export function flatFolder(...names: string[]): AgentFolder {
  return { ...deepFolder(...names), isDeep: false };
}
