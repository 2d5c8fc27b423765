import { dirname } from "node:path";
import { isInside } from "../path-confinement.ts";

/** What is at a path in the sandbox. */
export type Mount =
  /** What is there outside, or at `source`. */
  | { kind: "writable" | "read-only"; source?: string }
  /** A folder that is empty at first. */
  | { kind: "empty" }
  /** An empty file that cannot be written. */
  | { kind: "blank" }
  | { kind: "symlink"; target: string };

/** The mounts of a sandbox by path; absolute. */
export type Mounts = Map<string, Mount>;

/** Whether commands can write at a path. */
function isWritableAt(mounts: Mounts, path: string): boolean {
  const around = mountAround(mounts, path);
  return around?.kind === "writable" || around?.kind === "empty";
}

/** Whether what is at a path outside can be seen there inside. */
export function isVisibleAt(mounts: Mounts, path: string): boolean {
  const around = mountAround(mounts, path);
  const isShown = around?.kind === "writable" || around?.kind === "read-only";
  return isShown && around.source === undefined;
}

/** The mount that decides about a path: the innermost one around it. */
function mountAround(mounts: Mounts, path: string): Mount | undefined {
  const own = mounts.get(path);
  if (own !== undefined) return own;
  const folder = dirname(path);
  return folder === path ? undefined : mountAround(mounts, folder);
}

/**
 * Makes the folders between a writable folder and the mounts in it mounts themselves: a command could rename them
 * otherwise, with what is protected in them.
 */
export function pinFolders(mounts: Mounts): void {
  for (const [path, mount] of mounts) {
    if (mount.kind === "symlink") continue;
    for (let at = dirname(path); !mounts.has(at) && isVisibleAt(mounts, at); at = dirname(at)) {
      if (!isWritableAt(mounts, at)) break;
      mounts.set(at, { kind: "writable" });
    }
  }
}

/**
 * Puts empty folders where mounts lie below a folder that commands keep writing to: a symlink that one of them left there
 * would lead the mounts of the next one elsewhere.
 */
export function shieldMounts(mounts: Mounts, folder: string): void {
  for (const path of mounts.keys()) {
    if (path === folder || !isInside(path, folder)) continue;
    const [name = ""] = path.slice(folder.length + 1).split("/");
    const first = `${folder}/${name}`;
    if (!mounts.has(first)) mounts.set(first, { kind: "empty" });
  }
}

/** The mounts as arguments of bubblewrap; outer ones first, so that the inner ones lie on top. */
export function toArguments(mounts: Mounts): string[] {
  const depth = (path: string): number => path.split("/").length;
  return [...mounts]
    .sort(([left], [right]) => depth(left) - depth(right))
    .flatMap(([path, mount]) => toArgument(path, mount));
}

function toArgument(path: string, mount: Mount): string[] {
  switch (mount.kind) {
    case "writable":
      return ["--bind", mount.source ?? path, path];
    case "read-only":
      return ["--ro-bind", mount.source ?? path, path];
    case "empty":
      return ["--perms", "0700", "--tmpfs", path];
    case "blank":
      return ["--ro-bind", "/dev/null", path];
    case "symlink":
      return ["--symlink", mount.target, path];
  }
}
