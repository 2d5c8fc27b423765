import { dirname } from "node:path";
import { isInside } from "../../source/file/real-path.ts";

/** The content of a path in the sandbox. */
export type Mount =
  /** The content of the same path outside, or of `source`. */
  | { kind: "writable" | "read-only"; source?: string }
  /** A folder that is empty at first. */
  | { kind: "empty" }
  /** An empty, read-only file. */
  | { kind: "blank" }
  | { kind: "symlink"; target: string };

/** The mounts of a sandbox by absolute path. */
export type Mounts = Map<string, Mount>;

/** Reports whether commands can write to a path. */
function isWritableAt(mounts: Mounts, path: string): boolean {
  const around = mountAround(mounts, path);
  return around?.kind === "writable" || around?.kind === "empty";
}

/** Reports whether a path shows the same content inside as outside. */
export function isVisibleAt(mounts: Mounts, path: string): boolean {
  const around = mountAround(mounts, path);
  const isShown = around?.kind === "writable" || around?.kind === "read-only";
  return isShown && around.source === undefined;
}

/** Returns the innermost mount that contains a path. */
function mountAround(mounts: Mounts, path: string): Mount | undefined {
  const own = mounts.get(path);
  if (own !== undefined) return own;
  const folder = dirname(path);
  return folder === path ? undefined : mountAround(mounts, folder);
}

/**
 * Mounts the folders between a writable folder and the mounts in it as well. Otherwise a command could rename them, together with
 * the protected files in them.
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
 * Mounts empty folders where mounts lie below a folder that commands can write to: a symlink that one command left there would
 * redirect the mounts of the next one.
 */
export function protectMounts(mounts: Mounts, folder: string): void {
  for (const path of mounts.keys()) {
    if (path === folder || !isInside(path, folder)) continue;
    const [name = ""] = path.slice(folder.length + 1).split("/");
    const first = `${folder}/${name}`;
    if (!mounts.has(first)) mounts.set(first, { kind: "empty" });
  }
}

/** Returns the mounts as arguments of bubblewrap, outer mounts first, so that inner ones cover them. */
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
