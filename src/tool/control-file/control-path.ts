import type { Dirent } from "node:fs";

/** An existing control file or folder. The contents of a control folder have no separate entries. */
export interface ControlPath {
  /** Absolute. */
  path: string;
  kind: "file" | "folder" | "link" | "special";
  /** For a part of a git repository: the repository's folder, and the name git uses for the part. */
  git?: { folder: string; name: string };
}

/** Returns the kind of a folder's entry. */
export function entryKind(
  entry: Pick<Dirent, "isFile" | "isDirectory" | "isSymbolicLink">,
): ControlPath["kind"] {
  if (entry.isSymbolicLink()) return "link";
  if (entry.isDirectory()) return "folder";
  return entry.isFile() ? "file" : "special";
}
