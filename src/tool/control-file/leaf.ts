import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { type ControlPath, kindOf } from "./control-path.ts";

/** One file, symlink, special file or empty folder that is, or lies in, a control file. */
export interface Leaf {
  /** Absolute. */
  path: string;
  kind: ControlPath["kind"];
  /** Permission bits. */
  mode: number;
  /** The SHA-256 of the content of a file, where a symlink leads; empty for anything else. */
  content: string;
  /** A file with other names can be changed through them. */
  isShared: boolean;
}

/** Everything at and below a control file, except what lies in `leftOut`; empty when it is gone. */
export function leavesOf(path: string, leftOut: readonly string[]): Leaf[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || leftOut.includes(path)) return [];
  const kind = kindOf(stats);
  const names = kind === "folder" ? readdirSync(path) : [];
  if (names.length > 0) return names.flatMap((name) => leavesOf(join(path, name), leftOut));
  const isShared = kind === "file" && stats.nlink > 1;
  return [{ path, kind, mode: stats.mode & 0o7777, content: contentOf(path, kind), isShared }];
}

function contentOf(path: string, kind: Leaf["kind"]): string {
  if (kind === "link") return readlinkSync(path);
  return kind === "file" ? createHash("sha256").update(readFileSync(path)).digest("hex") : "";
}
