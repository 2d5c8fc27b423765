import { isAbsolute, normalize } from "node:path";
import type { JsonObject } from "../../source/json.ts";
import { isInside } from "../../source/file/real-path.ts";
import { findBase } from "../files/find-base.ts";
import { type GlobProblem, isPackGlob, parseGlob } from "../files/glob.ts";
import { selectPackFiles } from "../files/pack-files.ts";
import { type GlobParameter, listGlobs, readGlobs } from "../prompt-file/parameter.ts";
import { type FileSelection, type GlobFolders, selectFiles } from "../files/select-files.ts";

/** The folders of a coder. */
export interface CoderContext {
  /** Absolute, symlinks resolved. */
  workspace: string;
  signal: AbortSignal;
  /** The folder of data that agents keep between runs. Its files may be knowledge although they are outside the workspace. */
  agentFolders?: string;
  /** The user's home folder, for installed packs; absent = only packs of the workspace. */
  home?: string;
}

/** Knowledge files and their folders. */
export interface KnowledgeFiles extends FileSelection {
  alsoReadable: string[];
  /** The display names of files from packs. */
  names: ReadonlyMap<string, string>;
}

/** Selects knowledge: notes of agents by absolute path, then files of packs, then files of the workspace. */
export async function selectKnowledge(
  params: JsonObject,
  { agentFolders, home, workspace }: CoderContext,
  files: Omit<GlobFolders, "base">,
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

/** Selects the files of one parameter. Every message names the parameter. */
export async function selectParameter(
  name: GlobParameter,
  params: JsonObject,
  { workspace, walk }: Omit<GlobFolders, "base">,
  globs: readonly string[] = readGlobs(params, name),
): Promise<FileSelection> {
  if (globs.length === 0) return { paths: [], problems: [] };
  const base = name === "knowledge_globs" ? workspace : findBase(params, workspace);
  if (typeof base !== "string") return { paths: [], problems: [base] };
  const { paths, problems } = await selectFiles(globs, { workspace, base, walk });
  return { paths, problems: nameParameter(problems, name) };
}

/** Returns the first glob that illegally leads out of the workspace, in any parameter; `null` without one. */
export function findOutside(
  params: JsonObject,
  { workspace, agentFolders = workspace }: CoderContext,
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

/** Prefixes the messages of problems with the name of their parameter. */
export function nameParameter(problems: readonly GlobProblem[], name: string): GlobProblem[] {
  return problems.map(({ severity, code, message, fix }) => {
    return { severity, code, message: `${name}: ${message}`, fix };
  });
}
