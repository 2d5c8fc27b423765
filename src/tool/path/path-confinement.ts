// Paths: confines tools to the workspace and hides secrets from them.

import { isInside } from "../../source/file/real-path.ts";
import { readlinkSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { z } from "zod";
import { CadreError } from "../../errors.ts";
import { hiddenPaths } from "./secret-path.ts";

/** The folders that a tool may access. Absolute, symlinks resolved. */
export interface Roots {
  /** The base of relative paths. */
  workspace: string;
  /** Other folders that the tool may read. */
  alsoReadable?: readonly string[];
}

/** A path from a model: absolute, relative to the workspace, or with a leading `~/`. */
export const pathSchema: z.ZodString = z
  .string()
  .min(1, "expected a path, got an empty text")
  .max(4096, "expected a path of at most 4096 characters")
  .regex(/^[^\0]*$/, "expected a path without NUL characters");

/** The number of links in one path before it counts as a loop; the kernel has the same limit. */
const linkLimit = 40;

/**
 * Returns the absolute path of `path` with symlinks resolved. For a file that does not exist yet, resolves its deepest existing
 * folder.
 *
 * @throws CadreError `tool-failed` for NUL characters, symlink loops and unreadable folders.
 */
export function resolvePath(path: string, workspace: string): string {
  if (path.includes("\0")) {
    throw new CadreError(
      "tool-failed",
      `Expected a path without NUL characters, got ${JSON.stringify(path)}.`,
    );
  }
  const expanded = path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;
  return resolveLinks(resolve(workspace, expanded), linkLimit);
}

/**
 * Like {@link resolvePath}, but refuses paths outside the workspace and the other roots, and paths hidden from tools: keys and
 * Cadre's own files. Where a root and a hidden folder are nested, the inner one decides.
 *
 * @throws CadreError `tool-failed` that names the workspace.
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
      `${path} is hidden from tools: ${hidden} holds keys, tokens or Cadre's own files.`,
    );
  }
  return resolved;
}

/** Returns a path for display: relative inside the workspace, absolute elsewhere. */
export function displayPath(path: string, workspace: string): string {
  return isInside(path, workspace) ? relative(workspace, path) || "." : path;
}

/** Returns a file's name for display. Quotes a name with control characters, such as a line break that would fake another entry. */
export function displayName(name: string): string {
  return /[\p{Cc}]/u.test(name) ? JSON.stringify(name) : name;
}

/** Returns the code of a failed system call, such as `ENOENT`; `undefined` for other errors. */
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
    // Not a link, or missing: nothing to follow.
    return undefined;
  }
}

function unresolvable(path: string, why: string, cause?: unknown): CadreError {
  return new CadreError("tool-failed", `${path} cannot be resolved: ${why}.`, { cause });
}
