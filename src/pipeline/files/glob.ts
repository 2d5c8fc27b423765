import { isAbsolute, join, normalize, relative, sep } from "node:path";
import picomatch from "picomatch";
import type { Severity } from "../../source/diagnostic.ts";
import { isTooComplex } from "../../tool/search/glob-pattern.ts";

/** Why a glob cannot be used. */
export interface GlobProblem {
  severity: Severity;
  code: string;
  message: string;
  fix: string | null;
}

/** A parsed glob of a prompt file. */
export interface Glob {
  /** The source text. */
  written: string;
  /** The glob excludes files instead of including them. */
  isNegated: boolean;
  /** The folder that contains all matches, relative to the workspace with `/`; empty for the workspace itself. */
  folder: string;
  /** The path of a glob without wildcards, relative to the workspace; `null` for other globs. */
  literal: string | null;
  /** Reports whether the glob matches a path relative to the workspace, with `/`. */
  matches: (path: string) => boolean;
}

/**
 * Finds a problem that does not depend on the workspace: a glob that leads out by `..`, is too complex, or refers to a pack.
 * {@link parseGlob} checks absolute globs.
 */
export function findGlobProblem(written: string): GlobProblem | null {
  const pattern = withoutSign(written);
  const shown = written.slice(0, 200);
  if (isPackGlob(written)) {
    const message = `\`${shown}\` refers to a pack, which only \`knowledge_globs\` may do; it was left out.`;
    const fix = "Write it into `knowledge_globs`.";
    return { severity: "warning", code: "glob-pack", message, fix };
  }
  if (!isAbsolute(pattern) && leadsOut(normalize(pattern))) return leadsOutside(shown);
  if (isTooComplex(pattern)) {
    const message = `\`${shown}\` is too complex: expected at most 4 stars between two slashes, and no nested groups.`;
    return { severity: "error", code: "glob-too-complex", message, fix: null };
  }
  return null;
}

/** Parses a glob. A relative one is relative to `base`, a folder in `workspace`; both are absolute and real. */
export function parseGlob(written: string, workspace: string, base: string): Glob | GlobProblem {
  const problem = findGlobProblem(written);
  if (problem !== null) return problem;
  const pattern = withoutSign(written);
  const isExcluding = isNegated(written);
  const full = isAbsolute(pattern) ? normalize(pattern) : join(base, pattern);
  const path = relative(workspace, full).split(sep).join("/");
  if (leadsOut(path) || isAbsolute(path)) return leadsOutside(written.slice(0, 200));
  const { isGlob, base: folder } = picomatch.scan(path);
  const isMatch = isGlob ? picomatch(path, { dot: isExcluding }) : null;
  return {
    written,
    isNegated: isExcluding,
    folder: isGlob ? folder : path.slice(0, Math.max(0, path.lastIndexOf("/"))),
    literal: isGlob ? null : path,
    // `app/[id]/page.tsx` is also a valid file name.
    matches: (file) => file === path || isMatch?.(file) === true,
  };
}

/** Reports whether a glob excludes files. */
export function isNegated(written: string): boolean {
  const trimmed = written.trim();
  // `!(a|b)` is a group, not a negated glob.
  return trimmed.startsWith("!") && !trimmed.startsWith("!(");
}

function withoutSign(written: string): string {
  const trimmed = written.trim();
  return isNegated(written) ? trimmed.slice(1) : trimmed;
}

/** Reports whether a glob refers to files of a pack. */
export function isPackGlob(written: string): boolean {
  return /^[\w-]+@[\w-]+(?:\/|$)/.test(withoutSign(written));
}

function leadsOut(path: string): boolean {
  return path === ".." || path.startsWith("../") || path.startsWith(`..${sep}`);
}

function leadsOutside(shown: string): GlobProblem {
  const message = `\`${shown}\` leads out of the workspace; the coder gets only files inside it.`;
  const fix = "Write a path relative to the workspace.";
  return { severity: "error", code: "glob-outside", message, fix };
}
