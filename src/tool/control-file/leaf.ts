import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { type ControlPath, entryKind } from "./control-path.ts";

/** A file, symlink, special file or empty folder that is a control file or lies in a control folder. */
export interface PathLeaf {
  /** Absolute. */
  path: string;
  kind: ControlPath["kind"];
  /** Permission bits. */
  mode: number;
  /** The SHA-256 of a file's content, or the target of a symlink; otherwise empty. */
  content: string;
  /** The file has other names, through which it can be changed. */
  isShared: boolean;
}

/** Returns all leaves at and below a control file, except those in `leftOut`; empty when it is gone. */
export function leavesOf(path: string, leftOut: readonly string[]): PathLeaf[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || leftOut.includes(path)) return [];
  const kind = entryKind(stats);
  const names = kind === "folder" ? readdirSync(path) : [];
  if (names.length > 0) return names.flatMap((name) => leavesOf(join(path, name), leftOut));
  const isShared = kind === "file" && stats.nlink > 1;
  return [{ path, kind, mode: stats.mode & 0o7777, content: contentOf(path, kind), isShared }];
}

function contentOf(path: string, kind: PathLeaf["kind"]): string {
  if (kind === "link") return readlinkSync(path);
  return kind === "file" ? createHash("sha256").update(readFileSync(path)).digest("hex") : "";
}
