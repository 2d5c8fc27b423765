import { isAbsolute, normalize } from "node:path";
import type { JsonObject } from "../source/json.ts";
import { isInside } from "../tool/path-confinement.ts";
import { findBase } from "./find-base.ts";
import { type GlobProblem, isPackGlob, parseGlob } from "./glob.ts";
import { selectPackFiles } from "./pack-files.ts";
import { type GlobParameter, listGlobs, readGlobs } from "./parameter.ts";
import { type FileSelection, type GlobPlace, selectFiles } from "./select-files.ts";

/** Where the coder works. */
export interface CoderPlace {
  /** Absolute, symlinks resolved. */
  workspace: string;
  signal: AbortSignal;
  /** Where agents keep what outlives their runs: files in it may be knowledge although they lie outside of the workspace. */
  agentFolders?: string;
  /** The user's home, where packs lie; absent: there are only those of the workspace. */
  home?: string;
}

/** Files that are knowledge, and where they lie. */
export interface KnowledgeFiles extends FileSelection {
  alsoReadable: string[];
  /** What files of packs are called. */
  names: ReadonlyMap<string, string>;
}

/** What agents wrote down, by absolute paths; files of packs; files of the workspace. */
export async function selectKnowledge(
  params: JsonObject,
  { agentFolders, home, workspace }: CoderPlace,
  files: Omit<GlobPlace, "base">,
): Promise<KnowledgeFiles> {
  const isNote = (glob: string): boolean =>
    agentFolders !== undefined && isAbsolute(glob) && isInside(normalize(glob), agentFolders);
  const globs = readGlobs(params, "knowledge_globs");
  const notes = globs.filter(isNote).map((glob) => normalize(glob));
  const packs = await selectPackFiles(globs, { ...files, home: home ?? workspace });
  const others = globs.filter((glob) => !isNote(glob) && !isPackGlob(glob));
  const found = await selectParameter("knowledge_globs", params, files, others);
  return {
    paths: [...notes, ...packs.files.map(({ path }) => path), ...found.paths],
    problems: [...nameParameter(packs.problems, "knowledge_globs"), ...found.problems],
    alsoReadable: [...packs.folders, ...(agentFolders === undefined ? [] : [agentFolders])],
    names: new Map(packs.files.map(({ path, shown }) => [path, shown])),
  };
}

/** The files of one parameter; every message says which parameter it is about. */
export async function selectParameter(
  name: GlobParameter,
  params: JsonObject,
  { workspace, walk }: Omit<GlobPlace, "base">,
  globs: readonly string[] = readGlobs(params, name),
): Promise<FileSelection> {
  if (globs.length === 0) return { paths: [], problems: [] };
  const base = name === "knowledge_globs" ? workspace : findBase(params, workspace);
  if (typeof base !== "string") return { paths: [], problems: [base] };
  const { paths, problems } = await selectFiles(globs, { workspace, base, walk });
  return { paths, problems: nameParameter(problems, name) };
}

/** The first glob that leads out of the workspace and may not, by any way there is to say that. */
export function findOutside(
  params: JsonObject,
  { workspace, agentFolders = workspace }: CoderPlace,
): GlobProblem | null {
  const base = findBase(params, workspace);
  if (typeof base !== "string") return base;
  for (const { glob, keys } of listGlobs(params)) {
    const name = String(keys[0]);
    const isKnowledge = name.startsWith("knowledge_globs");
    if (isKnowledge && (isPackGlob(glob) || isInside(normalize(glob), agentFolders))) continue;
    const parsed = parseGlob(glob, workspace, base);
    if (!("message" in parsed) || parsed.severity !== "error") continue;
    return nameParameter([parsed], name)[0] ?? null;
  }
  return null;
}

/** Problems whose messages say which parameter they are about. */
export function nameParameter(problems: readonly GlobProblem[], name: string): GlobProblem[] {
  return problems.map(({ severity, code, message, fix }) => {
    return { severity, code, message: `${name}: ${message}`, fix };
  });
}
