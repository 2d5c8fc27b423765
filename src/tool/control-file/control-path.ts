import type { Dirent } from "node:fs";

/** A control file or folder that exists; what lies in a control folder is not named by itself. */
export interface ControlPath {
  /** Absolute. */
  path: string;
  kind: "file" | "folder" | "link" | "special";
  /** Where it is part of a repository: the folder it lies in there, and the name git knows it by. */
  git?: { folder: string; name: string };
}

/** The kind of an entry of a folder. */
export function kindOf(
  entry: Pick<Dirent, "isFile" | "isDirectory" | "isSymbolicLink">,
): ControlPath["kind"] {
  if (entry.isSymbolicLink()) return "link";
  if (entry.isDirectory()) return "folder";
  return entry.isFile() ? "file" : "special";
}
