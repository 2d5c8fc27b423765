// Files of pipelines: resolves the globs of prompt files and reads the selected files.

import { CadreError } from "../../errors.ts";
import { confine } from "../../tool/path/path-confinement.ts";
import { statusOf } from "../../tool/path/regular-file.ts";
import { type WalkedFiles, walkFiles } from "../../tool/search/walk-files.ts";
import { type Glob, type GlobProblem, parseGlob } from "./glob.ts";

/** The folders that globs are resolved in. */
export interface GlobFolders {
  /** Absolute, symlinks resolved. */
  workspace: string;
  /** The folder that relative globs are relative to; absolute, symlinks resolved, in the workspace. */
  base: string;
  /** Lists the files below a folder (absolute). */
  walk: (folder: string) => Promise<WalkedFiles>;
}

/** Creates a `walk` that lists each folder once, however many globs use it. */
export function createWalks(signal: AbortSignal): GlobFolders["walk"] {
  const known = new Map<string, Promise<WalkedFiles>>();
  return (folder) => {
    const walk = known.get(folder) ?? walkFiles(folder, signal);
    known.set(folder, walk);
    return walk;
  };
}

/** The files that globs match, and the problems of the globs. */
export interface FileSelection {
  /** Relative to the workspace, with `/`: in the order of the globs, the files of one glob sorted by path. */
  paths: string[];
  problems: GlobProblem[];
}

interface Walked {
  folder: string;
  paths: string[];
  links: string[];
}

/**
 * Selects the regular files that match any glob of `written` and no negated one, regardless of order. Ignored files, hidden files
 * and `node_modules` match only a glob that names them: a hidden one by its dot, an ignored one by its full path. A glob without
 * a match is a problem, and so is one that leads out of the workspace.
 */
export async function selectFiles(
  written: readonly string[],
  folders: GlobFolders,
): Promise<FileSelection> {
  const parsed = written.map((glob) => parseGlob(glob, folders.workspace, folders.base));
  const globs = parsed.filter((glob) => "matches" in glob);
  const problems = parsed.filter((glob) => "message" in glob);
  const wanted = globs.filter((glob) => !glob.isNegated);
  const negated = globs.filter((glob) => glob.isNegated);
  const isExcluded = (path: string): boolean => negated.some((glob) => glob.matches(path));
  const walked = await walkFolders(wanted, folders, problems);
  const paths = new Set<string>();
  for (const glob of wanted) {
    const found = await findMatches(glob, walked, folders);
    if ("message" in found) problems.push(found);
    else for (const path of found.paths) if (!isExcluded(path)) paths.add(path);
    reportLinks(glob, walked, isExcluded, problems);
  }
  return { paths: [...paths], problems };
}

/** Walks each folder at which a glob with wildcards begins, once. */
async function walkFolders(
  globs: readonly Glob[],
  { workspace, walk }: GlobFolders,
  problems: GlobProblem[],
): Promise<Walked[]> {
  const folders = new Set(
    globs.filter(({ literal }) => literal === null).map((glob) => glob.folder),
  );
  const outermost = [...folders].filter(
    (folder) => ![...folders].some((outer) => outer !== folder && isBelow(folder, outer)),
  );
  const walked: Walked[] = [];
  for (const folder of outermost) {
    const start = realFolder(folder, workspace);
    if (start === null) continue;
    const { paths, links, isCut } = await walk(start);
    const full = (path: string): string => (folder === "" ? path : `${folder}/${path}`);
    walked.push({ folder, paths: paths.map(full), links: links.map(full) });
    if (isCut) problems.push(tooMany(folder));
  }
  return walked;
}

/** Returns a real folder of the workspace; `null` for a symlink out of it. */
function realFolder(folder: string, workspace: string): string | null {
  try {
    return confine(folder === "" ? "." : folder, { workspace });
  } catch (error) {
    if (error instanceof CadreError) return null;
    throw error;
  }
}

async function findMatches(
  glob: Glob,
  walked: readonly Walked[],
  folders: GlobFolders,
): Promise<{ paths: string[] } | GlobProblem> {
  if (glob.literal !== null) return await findLiteral(glob.literal, glob.written, folders);
  const paths = pathsBelow(glob, walked, "paths").filter((path) => glob.matches(path));
  return paths.length > 0 ? { paths } : matchesNothing(glob.written);
}

function pathsBelow(glob: Glob, walked: readonly Walked[], kind: "paths" | "links"): string[] {
  return walked.find(({ folder }) => isBelow(glob.folder, folder))?.[kind] ?? [];
}

async function findLiteral(
  path: string,
  written: string,
  { workspace }: GlobFolders,
): Promise<{ paths: string[] } | GlobProblem> {
  try {
    const status = await statusOf(confine(path, { workspace }));
    if (status?.isFile() === true) return { paths: [path] };
    return status?.isDirectory() === true ? namesFolder(written) : matchesNothing(written);
  } catch (error) {
    if (!(error instanceof CadreError)) throw error;
    return { severity: "error", code: "glob-outside", message: error.message, fix: null };
  }
}

function reportLinks(
  glob: Glob,
  walked: readonly Walked[],
  isExcluded: (path: string) => boolean,
  problems: GlobProblem[],
): void {
  const links = pathsBelow(glob, walked, "links").filter(
    (path) => glob.literal === null && glob.matches(path) && !isExcluded(path),
  );
  if (links.length === 0) return;
  const message = `\`${glob.written}\`: symlinks are not followed: ${nameSome(links)}.`;
  const fix = "Name the file itself.";
  problems.push({ severity: "warning", code: "glob-symlink", message, fix });
}

/** Joins the first ten names, with the number of further ones. */
export function nameSome(names: readonly string[]): string {
  const shown = names.slice(0, 10).join(", ");
  return names.length > 10 ? `${shown} and ${names.length - 10} more` : shown;
}

function isBelow(folder: string, outer: string): boolean {
  return outer === "" || folder === outer || folder.startsWith(`${outer}/`);
}

function matchesNothing(written: string): GlobProblem {
  const message = `\`${written}\` matches no file. Hidden files and files that git ignores match only by name.`;
  return { severity: "warning", code: "glob-no-match", message, fix: null };
}

function namesFolder(written: string): GlobProblem {
  const message = `\`${written}\` is a folder; globs match files.`;
  const fix = `Write \`${written.replace(/\/+$/, "")}/**\`.`;
  return { severity: "warning", code: "glob-folder", message, fix };
}

function tooMany(folder: string): GlobProblem {
  const message = `The folder \`${folder || "."}\` has too many files to list all of them; the rest were left out.`;
  const fix = "Begin the glob with a deeper folder.";
  return { severity: "warning", code: "glob-too-many", message, fix };
}
