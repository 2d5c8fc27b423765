import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Diagnostic } from "../source/diagnostic.ts";
import { splitFrontmatter } from "../source/frontmatter.ts";
import { readTextFile } from "../source/text-file.ts";
import { type AgentFolder, belongsTo, foldersOf } from "./agent-folder.ts";
import type { AgentDefinition } from "./agent.ts";
import {
  type AgentPlace,
  loadPlace,
  mergeLayers,
  placesIn,
  projectPlaces,
  withoutRepeats,
} from "./discover.ts";
import { formatOf } from "./format-of.ts";
import { loadFile, type LoadedFile } from "./load-file.ts";
import { walkFolder } from "../source/walk-folder.ts";

/** Where to check, and which code may run for it. */
export interface CheckPlace {
  cwd: string;
  home: string;
  isTrusted: (path: string) => boolean;
}

/**
 * Checks definition files and folders, or with no paths the agents of the whole project. Every finding is returned,
 * those of severity `info` too; a path that does not exist, or is no definition, is an error.
 */
export async function checkPaths(
  paths: readonly string[],
  place: CheckPlace,
): Promise<Diagnostic[]> {
  if (paths.length === 0) return checkProject(place);
  const findings = await Promise.all(
    paths.map((path) => checkPath(resolve(place.cwd, path), place)),
  );
  return findings.flat();
}

/** The user's agents are loaded too: those of Codex complete the project's. */
async function checkProject(place: CheckPlace): Promise<Diagnostic[]> {
  const own = await loadPlaces(projectPlaces(place), place);
  const users = placesIn(place.home, place.home, "user").filter(
    (one) => one.folder.format === "codex",
  );
  const merged = mergeLayers([...own, ...(await loadPlaces(users, place))]);
  return findingsOf(merged.slice(0, own.length));
}

/** Loads one agent file by its path, such as for `cadre run path/to/agent.md`. */
export function loadAgentFile(
  path: string,
  isTrusted: (path: string) => boolean,
): Promise<{ definition: AgentDefinition | null; diagnostics: Diagnostic[] }> {
  return loadFile({ path, scope: "library", isTrusted });
}

async function checkPath(path: string, place: CheckPlace): Promise<Diagnostic[]> {
  const status = await stat(path).catch(() => null);
  if (status === null) return [missing(path)];
  return status.isDirectory() ? checkFolder(path, place) : checkFile(path, place);
}

async function checkFile(path: string, { isTrusted }: CheckPlace): Promise<Diagnostic[]> {
  if (!/\.(md|toml|m?[jt]s)$/i.test(path))
    return [notAnAgent(path, "the extension .md, .toml, .ts, .mts, .js or .mjs")];
  const { diagnostics } = await loadAgentFile(path, isTrusted);
  return diagnostics;
}

async function checkFolder(path: string, place: CheckPlace): Promise<Diagnostic[]> {
  const folders = foldersOf(path);
  if (folders.length > 0) {
    const loaded = await Promise.all(folders.map((folder) => loadBelow(path, folder, place)));
    return findingsOf(loaded.flat());
  }
  const known = await loadPlaces(placesIn(path, path, "project"), place);
  return known.length > 0 ? findingsOf(known) : checkLoose(path, place);
}

/** Loads a folder that is, or lies in, a folder of agents. */
async function loadBelow(
  path: string,
  folder: AgentFolder,
  { isTrusted }: CheckPlace,
): Promise<LoadedFile[]> {
  const walk = { folder: path, root: path, isDeep: folder.isDeep };
  const { files, diagnostics } = await walkFolder({
    ...walk,
    isWanted: (name) => belongsTo(name, folder),
  });
  const loaded = files.map((file) =>
    loadFile({ path: file, format: folder.format, scope: "project", isTrusted }),
  );
  return [{ definition: null, diagnostics }, ...(await Promise.all(loaded))];
}

/** In a folder of any other kind, the files that say what an agent says are taken for agents. */
async function checkLoose(path: string, place: CheckPlace): Promise<Diagnostic[]> {
  const isWanted = (name: string): boolean => /\.(?:md|toml)$/.test(name);
  const { files, diagnostics } = await walkFolder({
    folder: path,
    root: path,
    isDeep: true,
    isWanted,
  });
  const agents: string[] = [];
  for (const file of files) {
    const { text } = await readTextFile(file);
    if (text !== null && looksLikeAgent(file, text)) agents.push(file);
  }
  if (agents.length === 0) return [...diagnostics, notAnAgent(path, "definitions in it")];
  const found = await Promise.all(agents.map((file) => checkFile(file, place)));
  return [...diagnostics, ...found.flat()];
}

function looksLikeAgent(path: string, text: string): boolean {
  if (path.endsWith(".toml")) return /^developer_instructions[ \t]*=/m.test(text);
  if (path.endsWith(".agent.md")) return true;
  const { header } = splitFrontmatter(text);
  return /^name[ \t]*:/m.test(header) || formatOf(path, text) === "opencode";
}

async function loadPlaces(
  places: readonly AgentPlace[],
  { isTrusted }: CheckPlace,
): Promise<LoadedFile[]> {
  const loaded = await Promise.all(places.map((one) => loadPlace(one, isTrusted)));
  return loaded.flat();
}

function findingsOf(loaded: readonly LoadedFile[]): Diagnostic[] {
  return withoutRepeats(loaded.flatMap(({ diagnostics }) => diagnostics));
}

function missing(path: string): Diagnostic {
  const message = "Expected a file or a folder, but nothing is there.";
  const fix = `Check the path; its folder is ${dirname(path)}`;
  return { path, line: 1, column: 1, severity: "error", code: "not-found", message, fix };
}

function notAnAgent(path: string, expected: string): Diagnostic {
  const message = `Not an agent: expected ${expected}.`;
  const fix =
    "Agents are Markdown files with frontmatter, TOML files of Codex, or programs; `cadre init` writes examples.";
  return { path, line: 1, column: 1, severity: "error", code: "not-an-agent", message, fix };
}
