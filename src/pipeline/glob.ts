import { isAbsolute, join, normalize, relative, sep } from "node:path";
import picomatch from "picomatch";
import type { Severity } from "../source/diagnostic.ts";
import { isTooComplex } from "../tool/glob-pattern.ts";

/** What keeps a glob from being used. */
export interface GlobProblem {
  severity: Severity;
  code: string;
  message: string;
  fix: string | null;
}

/** A glob that can be used. */
export interface Glob {
  /** As somebody wrote it. */
  written: string;
  /** It takes files away instead of adding them. */
  isNegated: boolean;
  /** The folder below the workspace that everything it matches is in, with `/`; empty for the workspace itself. */
  folder: string;
  /** The one path it names without wildcards, relative to the workspace; `null` for any other. */
  literal: string | null;
  /** Whether it matches a path relative to the workspace, with `/`. */
  matches: (path: string) => boolean;
}

/**
 * What is wrong with a glob wherever its workspace is: it leads out by `..`, is too complex, or refers to a pack.
 * Absolute ones are judged by {@link parseGlob}.
 */
export function findGlobProblem(written: string): GlobProblem | null {
  const pattern = withoutSign(written);
  const shown = written.slice(0, 200);
  if (isPackGlob(written)) {
    const message = `\`${shown}\` refers to a pack, whose files are knowledge only; it was left out.`;
    const fix = "Write it into `knowledge_globs`.";
    return { severity: "warning", code: "glob-pack", message, fix };
  }
  if (!isAbsolute(pattern) && leadsOut(normalize(pattern))) return leadsOutside(shown);
  if (isTooComplex(pattern)) {
    const message = `\`${shown}\` is too complex: at most 4 stars between two slashes are expected, and no nested groups.`;
    return { severity: "error", code: "glob-too-complex", message, fix: null };
  }
  return null;
}

/** Reads a glob. A relative one is meant from `base`, a folder below `workspace`; both are absolute and real. */
export function parseGlob(written: string, workspace: string, base: string): Glob | GlobProblem {
  const problem = findGlobProblem(written);
  if (problem !== null) return problem;
  const pattern = withoutSign(written);
  const takesAway = isNegated(written);
  const full = isAbsolute(pattern) ? normalize(pattern) : join(base, pattern);
  const path = relative(workspace, full).split(sep).join("/");
  if (leadsOut(path) || isAbsolute(path)) return leadsOutside(written.slice(0, 200));
  const { isGlob, base: folder } = picomatch.scan(path);
  const isMatch = isGlob ? picomatch(path, { dot: takesAway }) : null;
  return {
    written,
    isNegated: takesAway,
    folder: isGlob ? folder : path.slice(0, Math.max(0, path.lastIndexOf("/"))),
    literal: isGlob ? null : path,
    // `app/[id]/page.tsx` is also the name of a file.
    matches: (file) => file === path || isMatch?.(file) === true,
  };
}

/** Whether a glob takes files away. */
export function isNegated(written: string): boolean {
  const trimmed = written.trim();
  // `!(a|b)` is a group of the glob, not a sign.
  return trimmed.startsWith("!") && !trimmed.startsWith("!(");
}

function withoutSign(written: string): string {
  const trimmed = written.trim();
  return isNegated(written) ? trimmed.slice(1) : trimmed;
}

/** Whether a glob names files of a pack. */
export function isPackGlob(written: string): boolean {
  return /^[\w-]+@[\w-]+(?:\/|$)/.test(withoutSign(written));
}

function leadsOut(path: string): boolean {
  return path === ".." || path.startsWith("../") || path.startsWith(`..${sep}`);
}

function leadsOutside(shown: string): GlobProblem {
  const message = `\`${shown}\` leads out of the workspace; only files inside of it are given to the coder.`;
  const fix = "Write a path relative to the workspace.";
  return { severity: "error", code: "glob-outside", message, fix };
}
