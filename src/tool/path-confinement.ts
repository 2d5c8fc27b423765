import { readlinkSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { z } from "zod";
import { CadreError } from "../errors.ts";
import { hiddenPaths } from "./secret-path.ts";

/** Where a tool may look. Absolute, symlinks resolved. */
export interface Roots {
  /** Relative paths start here. */
  workspace: string;
  /** Other folders it may look into. */
  alsoReadable?: readonly string[];
}

/** A path as a model gives it: absolute, relative to the workspace, or starting with `~/`. */
export const pathSchema: z.ZodString = z
  .string()
  .min(1, "a path is expected, got an empty string")
  .max(4096, "a path of at most 4096 characters is expected")
  .regex(/^[^\0]*$/, "a path without NUL characters is expected");

/** The links one path may go through before it counts as a loop; the kernel's own limit. */
const linkLimit = 40;

/**
 * The absolute path behind `path`, symlinks resolved, those of the deepest existing folder included when the file
 * does not exist yet.
 *
 * @throws CadreError `tool-failed` for NUL characters, loops of symlinks and folders that must not be looked into.
 */
export function resolvePath(path: string, workspace: string): string {
  if (path.includes("\0")) {
    throw new CadreError(
      "tool-failed",
      `A path without NUL characters is expected, got ${JSON.stringify(path)}.`,
    );
  }
  const expanded = path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;
  return resolveLinks(resolve(workspace, expanded), linkLimit);
}

/**
 * Like {@link resolvePath}, but refuses what is outside the workspace and the other roots, and what is hidden from tools: keys,
 * and what Cadre keeps. Of a root and a hidden folder that lie in each other, the inner one decides.
 *
 * @throws CadreError `tool-failed`, naming the workspace.
 */
export function confine(path: string, { workspace, alsoReadable = [] }: Roots): string {
  const resolved = resolvePath(path, workspace);
  const around = [workspace, ...alsoReadable].filter((root) => isInside(resolved, root));
  if (around.length === 0) {
    const via = resolve(workspace, path) === resolved ? "" : ` (it leads to ${resolved})`;
    throw new CadreError(
      "tool-failed",
      `${path} is outside the workspace ${workspace}${via}. Use a path inside the workspace.`,
    );
  }
  for (const hidden of hiddenPaths()) {
    if (!isInside(resolved, hidden) || around.some((root) => isInside(root, hidden))) continue;
    throw new CadreError(
      "tool-failed",
      `${path} is hidden from tools: ${hidden} holds keys and tokens, or what Cadre keeps of runs.`,
    );
  }
  return resolved;
}

/** Whether `path` is `folder` or below it; both absolute and resolved. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** How a path is shown to people and models: relative inside the workspace, absolute elsewhere. */
export function displayPath(path: string, workspace: string): string {
  return isInside(path, workspace) ? relative(workspace, path) || "." : path;
}

/** The code of a failed system call, such as `ENOENT`; `undefined` for any other error. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

function resolveLinks(path: string, linksLeft: number): string {
  const real = realPathOrUndefined(path);
  if (real !== undefined) return real;
  const parent = dirname(path);
  if (parent === path) return path;
  const full = join(resolveLinks(parent, linksLeft), basename(path));
  const target = linkTarget(full);
  if (target === undefined) return full;
  if (linksLeft === 0) throw unresolvable(path, "its symlinks form a loop");
  return resolveLinks(resolve(dirname(full), target), linksLeft - 1);
}

function realPathOrUndefined(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw unresolvable(path, code === "ELOOP" ? "its symlinks form a loop" : String(code), error);
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // Not a link, or nothing there: both mean there is nothing to follow.
    return undefined;
  }
}

function unresolvable(path: string, why: string, cause?: unknown): CadreError {
  return new CadreError("tool-failed", `${path} cannot be resolved: ${why}.`, { cause });
}
