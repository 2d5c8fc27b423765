import { statSync } from "node:fs";
import { dirname, join, parse, resolve } from "node:path";
import { CadreError } from "../../errors.ts";
import { isInside } from "../../source/file/real-path.ts";
import { projectFolders } from "../../source/file/project-root.ts";
import { readTextFile } from "../../source/file/text-file.ts";
import { confine, type Roots } from "../path/path-confinement.ts";
import { findImports } from "./find-imports.ts";
import {
  type InstructionFile,
  type InstructionFiles,
  instructionFileNames,
  maxFiles,
  maxImportDepth,
  userInstructionFile,
} from "./instruction-file.ts";
import { limitFile, limitTotal } from "./limit-size.ts";

/** The maximum number of problems to name one by one. */
const maxProblems = 20;

/** The folder of a run, and the user's home folder. Both absolute. */
export interface InstructionFolders {
  /** Symlinks resolved. */
  workspace: string;
  home: string;
}

/** The state of one reading. */
interface Reading {
  instructionFolders: InstructionFolders;
  /** Called with each path whose content or absence the result depends on, before it is read. */
  watch: (path: string) => void;
  /** The real paths of the files read so far. Each file is read once. */
  seen: Set<string>;
  /** The paths that are read by name. Imports of them are skipped. */
  named: ReadonlySet<string>;
  problems: string[];
}

/**
 * Reads the instruction files of a folder: the user's own, then those from the root of the project down to the folder, each
 * followed by its imports. `watch` gets the paths that the result depends on.
 */
export async function readInstructionFiles(
  instructionFolders: InstructionFolders,
  watch: (path: string) => void = () => undefined,
): Promise<InstructionFiles> {
  const { workspace, home } = instructionFolders;
  const folders = projectFolders({ cwd: workspace, home });
  const named = new Set(folders.flatMap((folder) => namesIn(folder).find(isPresent) ?? []));
  const reading: Reading = { instructionFolders, watch, seen: new Set(), named, problems: [] };
  const root = folders.at(-1) ?? workspace;
  const user = await readNamed([join(home, userInstructionFile)], userRoots(home), reading);
  const groups: InstructionFile[][] = [user];
  // The nearest folder comes first, because the size limit cuts it last.
  for (const folder of folders) {
    // Agents can change files in the workspace. This must not let them read files outside it.
    const around = isInside(folder, workspace) ? workspace : root;
    groups.push(await readNamed(namesIn(folder), { workspace: around }, reading));
  }
  const { kept, problems } = limitTotal(groups);
  const [own = [], ...project] = kept;
  const files = [...own, ...project.toReversed().flat()];
  return { files, problems: shortenList([...reading.problems, ...problems]) };
}

/** A file can contain thousands of wrong imports. */
function shortenList(problems: readonly string[]): string[] {
  const shown = problems.slice(0, maxProblems);
  const more = problems.length - shown.length;
  return more === 0 ? shown : [...shown, `${more} more problems with instruction files.`];
}

function namesIn(folder: string): string[] {
  return instructionFileNames.map((name) => join(folder, name));
}

/** The user's file may import any file that is not hidden from tools, and files in its own folder. */
function userRoots(home: string): Roots {
  return { workspace: dirname(join(home, userInstructionFile)), alsoReadable: [parse(home).root] };
}

/** Reads the first of `paths` that has text, with its imports. */
async function readNamed(
  paths: readonly string[],
  roots: Roots,
  reading: Reading,
): Promise<InstructionFile[]> {
  for (const path of paths) {
    reading.watch(path);
    if (!isPresent(path)) continue;
    const file = await readOne(path, roots, reading);
    if (file === undefined) continue;
    return [file, ...(await readImports(file, { roots, depth: 1 }, reading))];
  }
  return [];
}

/** Reads a file; `undefined` for an empty file, for one read before, and, with a problem, for an unusable one. */
async function readOne(
  path: string,
  roots: Roots,
  { seen, problems }: Reading,
): Promise<InstructionFile | undefined> {
  let real: string;
  try {
    real = confine(path, roots);
  } catch (error) {
    if (!(error instanceof CadreError)) throw error;
    problems.push(`The instruction file ${path} was left out: ${error.message}`);
    return undefined;
  }
  if (seen.has(real)) return undefined;
  const { text, diagnostics } = await readTextFile(real);
  const [finding] = diagnostics;
  if (finding !== undefined) {
    const what = text === null ? "was left out" : "has unreadable characters";
    problems.push(`The instruction file ${path} ${what}: ${finding.message}`);
  }
  if (text === null) return undefined;
  if (text.includes("\0")) {
    problems.push(`The instruction file ${path} was left out: expected text, got NUL characters.`);
    return undefined;
  }
  if (text.trim() === "") return undefined;
  seen.add(real);
  const { file, problem } = limitFile({ path, text: text.trim(), bytes: Buffer.byteLength(text) });
  if (problem !== undefined) problems.push(problem);
  return file;
}

/** Reads the imports of a file and their imports. Each file comes after the one that imports it. */
async function readImports(
  { path: from, text }: InstructionFile,
  { roots, depth }: { roots: Roots; depth: number },
  reading: Reading,
): Promise<InstructionFile[]> {
  const files: InstructionFile[] = [];
  for (const { path: written, isPath } of findImports(text)) {
    const path = resolve(
      dirname(from),
      written.replace(/^~(?=\/)/, reading.instructionFolders.home),
    );
    if (reading.named.has(path)) continue;
    reading.watch(path);
    const problem = findProblem(path, depth, reading);
    if (problem !== undefined) {
      const message = `The import @${written} of ${from} was left out: ${problem}`;
      if (isPath) reading.problems.push(message);
      continue;
    }
    const read = await readOne(path, roots, reading);
    if (read === undefined) continue;
    const file = { ...read, importedBy: from };
    files.push(file, ...(await readImports(file, { roots, depth: depth + 1 }, reading)));
  }
  return files;
}

function findProblem(path: string, depth: number, { seen }: Reading): string | undefined {
  if (!isPresent(path)) return "there is no file.";
  if (depth > maxImportDepth) return `imports may be nested ${maxImportDepth} deep.`;
  if (seen.size >= maxFiles) return `there may be ${maxFiles} instruction files.`;
  return undefined;
}

/** Reports whether a path is an existing file, not a folder. */
function isPresent(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
  } catch {
    // A folder on the way is not accessible.
    return false;
  }
}
