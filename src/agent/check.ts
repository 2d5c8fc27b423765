import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Diagnostic } from "../source/diagnostic.ts";
import { splitFrontmatter } from "../source/yaml/frontmatter.ts";
import { readTextFile } from "../source/file/text-file.ts";
import type { AgentDefinition } from "./definition/agent.ts";
import {
  isDefinitionFile,
  loadFolder,
  mergeDeclarations,
  searchesIn,
  projectSearches,
} from "./discover.ts";
import type { AgentFileFormat, AgentSearch } from "./format/agent-file-format.ts";
import type { AgentFolder } from "./format/agent-folder.ts";
import {
  declarationsOf,
  foldersOf,
  hasExtension,
  isTextFormat,
  builtInFormats,
  textFileExtensions,
} from "./find-format.ts";
import { formatOfPath, recognizeFormat } from "./recognize-format.ts";
import { loadFile, type LoadedFile } from "./load-file.ts";
import { walkFolder } from "../source/file/walk-folder.ts";
import { withoutRepeats } from "../source/diagnostic.ts";

/** The folders to check, and which of their code may run. */
export interface CheckRequest {
  cwd: string;
  home: string;
  isTrusted: (path: string) => boolean;
}

/**
 * Checks definition files and folders, or all agents of the project if `paths` is empty. Returns every finding, including those
 * of severity `info`. A missing path, or one that is not a definition, is an error.
 */
export async function checkPaths(
  paths: readonly string[],
  request: CheckRequest,
): Promise<Diagnostic[]> {
  if (paths.length === 0) return checkProject(request);
  const findings = await Promise.all(
    paths.map((path) => checkPath(resolve(request.cwd, path), request)),
  );
  return findings.flat();
}

/** Loads the user's agents too if agents of their format can complete the project's. */
async function checkProject(request: CheckRequest): Promise<Diagnostic[]> {
  const own = await loadFolders(projectSearches(request), request);
  const users = searchesIn(request.home, request.home, "user").filter(
    ({ format }) => declarationsOf(format) !== undefined,
  );
  const merged = mergeDeclarations([...own, ...(await loadFolders(users, request))]);
  return findingsOf(merged.slice(0, own.length));
}

/** Loads one agent file by its path, for example for `cadre run path/to/agent.md`. */
export function loadAgentFile(
  path: string,
  isTrusted: (path: string) => boolean,
): Promise<{ definition: AgentDefinition | null; diagnostics: Diagnostic[] }> {
  return loadFile({ path, scope: "library", isTrusted });
}

async function checkPath(path: string, request: CheckRequest): Promise<Diagnostic[]> {
  const status = await stat(path).catch(() => null);
  if (status === null) return [missing(path)];
  return status.isDirectory() ? checkFolder(path, request) : checkFile(path, request);
}

async function checkFile(path: string, { isTrusted }: CheckRequest): Promise<Diagnostic[]> {
  if (!hasExtension(path, builtInFormats.extensions))
    return [notAnAgent(path, `one of the extensions ${builtInFormats.extensions.join(", ")}`)];
  const { diagnostics } = await loadAgentFile(path, isTrusted);
  return diagnostics;
}

async function checkFolder(path: string, request: CheckRequest): Promise<Diagnostic[]> {
  const folders = foldersOf(path);
  if (folders.length > 0) {
    const loaded = await Promise.all(folders.map((folder) => loadBelow(path, folder, request)));
    return findingsOf(loaded.flat());
  }
  const known = await loadFolders(searchesIn(path, path, "project"), request);
  return known.length > 0 ? findingsOf(known) : checkLoose(path, request);
}

/** Loads the definitions below `path`, which is an agent folder or in one. */
async function loadBelow(
  path: string,
  { format, isDeep }: AgentFolder & { format: AgentFileFormat },
  { isTrusted }: CheckRequest,
): Promise<LoadedFile[]> {
  const { files, diagnostics } = await walkFolder({
    folder: path,
    root: path,
    isDeep,
    isWanted: (name) => isDefinitionFile(name, format),
  });
  const loaded = files.map((file) => loadFile({ path: file, format, scope: "project", isTrusted }));
  return [{ definition: null, diagnostics }, ...(await Promise.all(loaded))];
}

/** Checks the files of any other folder that look like agents. Skips programs, because reading one runs it. */
async function checkLoose(path: string, request: CheckRequest): Promise<Diagnostic[]> {
  const { files, diagnostics } = await walkFolder({
    folder: path,
    root: path,
    isDeep: true,
    isWanted: (name) => hasExtension(name, textFileExtensions),
  });
  const agents: string[] = [];
  for (const file of files) {
    const { text } = await readTextFile(file);
    if (text !== null && looksLikeAgent(file, text)) agents.push(file);
  }
  if (agents.length === 0) return [...diagnostics, notAnAgent(path, "definitions in it")];
  const found = await Promise.all(agents.map((file) => checkFile(file, request)));
  return [...diagnostics, ...found.flat()];
}

function looksLikeAgent(path: string, text: string): boolean {
  const { header } = splitFrontmatter(text);
  if (/^name[ \t]*:/m.test(header)) return true;
  const format = formatOfPath(path) ?? recognizeFormat(path, text);
  return isTextFormat(format) && format.isNamelessAgent?.({ path, text, header }) === true;
}

async function loadFolders(
  places: readonly AgentSearch[],
  { isTrusted }: CheckRequest,
): Promise<LoadedFile[]> {
  const loaded = await Promise.all(places.map((one) => loadFolder(one, { isTrusted })));
  return loaded.flat();
}

function findingsOf(loaded: readonly LoadedFile[]): Diagnostic[] {
  return withoutRepeats(loaded.flatMap(({ diagnostics }) => diagnostics));
}

function missing(path: string): Diagnostic {
  const message = "Expected a file or a folder; the path does not exist.";
  const fix = `Check the path; its folder is ${dirname(path)}`;
  return { path, line: 1, column: 1, severity: "error", code: "not-found", message, fix };
}

function notAnAgent(path: string, expected: string): Diagnostic {
  const message = `Not an agent: expected ${expected}.`;
  const fix =
    "Agents are Markdown files with frontmatter, TOML files of Codex, or programs; `cadre init` writes examples.";
  return { path, line: 1, column: 1, severity: "error", code: "not-an-agent", message, fix };
}
