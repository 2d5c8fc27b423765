import { resolve } from "node:path";
import { type Diagnostic, hasError } from "../source/diagnostic.ts";
import { findProjectRoot, projectFolders } from "../source/project-root.ts";
import { type AgentFolder, agentFolders, belongsTo } from "./agent-folder.ts";
import type { AgentDefinition, AgentScope } from "./agent.ts";
import { createMainAgent } from "./builtin.ts";
import { type CodexRoles, loadCodexRoles, mergeCodexLayers } from "./codex-layer.ts";
import { loadFile, type LoadedFile } from "./load-file.ts";
import { describeCopies, describeShadow, type Shadow } from "./discovery/describe-shadows.ts";
import { walkFolder } from "../source/walk-folder.ts";

/** How many files are open at once. */
const filesAtOnce = 32;

/** Where to look for agents. */
export interface DiscoverRequest {
  /** Absolute. */
  cwd: string;
  /** The user's home folder, absolute. */
  home: string;
  /** Definition files given by hand; they win over everything that is found. */
  files?: readonly string[];
  /** Whether code at a path may run. */
  isTrusted: (path: string) => boolean;
  /** See `AgentFileRequest.isLater`. */
  isLater?: (path: string) => boolean;
}

/** Every agent there is. */
export interface Discovery {
  /** What can be delegated to, the built-in agent included: one of each name, without errors. */
  agents: AgentDefinition[];
  /** Everything found, in order of precedence, broken and shadowed ones included; their diagnostics say why. */
  all: AgentDefinition[];
  /** Every finding, also about files and folders that are no definition. */
  diagnostics: Diagnostic[];
}

/** One folder to look into, of one kind. */
export interface AgentPlace {
  folder: AgentFolder;
  /** The project's folder or the home folder it lies in. */
  base: string;
  /** Symlinks must stay inside of it. */
  root: string;
  scope: AgentScope;
}

/**
 * Finds all agents: given files, then the project's (from `cwd` up to its root, nearest first), then the user's, then the
 * built-in one. The first of a name wins, even when it has errors: a broken definition is not silently replaced by
 * another one that may do more.
 */
export async function discoverAgents(request: DiscoverRequest): Promise<Discovery> {
  const { isTrusted, isLater } = request;
  const given = await loadAll(
    (request.files ?? []).map((path) => resolve(request.cwd, path)),
    (path) => loadFile({ path, scope: "library", isTrusted, isLater }),
  );
  const places = [...projectPlaces(request), ...placesIn(request.home, request.home, "user")];
  const loaded = [...given];
  for (const place of places) loaded.push(...(await loadPlace(place, isTrusted, isLater)));
  const builtin = { definition: createMainAgent(), diagnostics: [] };
  return settle([...mergeLayers(loaded), builtin]);
}

/** The folders of the project that agents may lie in, in order of precedence. */
export function projectPlaces({ cwd, home }: { cwd: string; home: string }): AgentPlace[] {
  const root = findProjectRoot({ cwd, home });
  return projectFolders({ cwd, home }).flatMap((base) => placesIn(base, root, "project"));
}

/** Loads every definition of one folder. */
export async function loadPlace(
  place: AgentPlace,
  isTrusted: (path: string) => boolean,
  isLater?: (path: string) => boolean,
): Promise<LoadedFile[]> {
  const { folder, root, scope } = place;
  const { files, diagnostics } = await walkFolder({
    folder: folderOf(place),
    root,
    isDeep: folder.isDeep,
    isWanted: (name) => belongsTo(name, folder),
  });
  const roles = folder.format === "codex" ? await loadRoles(place) : null;
  const found = await loadAll(
    files.filter((path) => roles?.files.has(path) !== true),
    (path) => loadFile({ path, format: folder.format, scope, isTrusted, isLater }),
  );
  const declared = (roles?.definitions ?? []).map((definition) => ({
    definition,
    diagnostics: [...definition.diagnostics],
  }));
  const other = [...diagnostics, ...(roles?.diagnostics ?? [])];
  const all = [...found, ...declared];
  return other.length === 0 ? all : [{ definition: null, diagnostics: other }, ...all];
}

function loadRoles({ base, root, scope }: AgentPlace): Promise<CodexRoles> {
  return loadCodexRoles({ config: resolve(base, ".codex", "config.toml"), root, scope });
}

/** What was loaded, with what definitions of Codex take from lower layers. */
export function mergeLayers(loaded: readonly LoadedFile[]): LoadedFile[] {
  const before = loaded.flatMap(({ definition }) => definition ?? []);
  const merged = new Map(mergeCodexLayers(before).map((after, index) => [before[index], after]));
  return loaded.map((file) => {
    const definition = file.definition === null ? undefined : merged.get(file.definition);
    if (definition === undefined || definition === file.definition) return file;
    return { definition, diagnostics: [...definition.diagnostics] };
  });
}

/** Where a place is; absolute. */
function folderOf({ folder, base, scope }: AgentPlace): string {
  return resolve(base, scope === "user" ? folder.userPath : folder.path);
}

/** Every kind of folder below `base`. */
export function placesIn(base: string, root: string, scope: AgentScope): AgentPlace[] {
  return agentFolders.map((folder) => ({ folder, base, root, scope }));
}

async function loadAll(
  paths: readonly string[],
  load: (path: string) => Promise<LoadedFile>,
): Promise<LoadedFile[]> {
  const loaded: LoadedFile[] = [];
  for (let start = 0; start < paths.length; start += filesAtOnce) {
    loaded.push(...(await Promise.all(paths.slice(start, start + filesAtOnce).map(load))));
  }
  return loaded;
}

function settle(loaded: readonly LoadedFile[]): Discovery {
  const all: AgentDefinition[] = [];
  const winners = new Map<string, AgentDefinition>();
  const diagnostics: Diagnostic[] = [];
  const shadows: Shadow[] = [];
  for (const { definition, diagnostics: own } of loaded) {
    diagnostics.push(...own.filter(isWorthSaying));
    if (definition === null) continue;
    const winner = winners.get(definition.name);
    if (winner === undefined) {
      if (holdsName(definition)) winners.set(definition.name, definition);
      all.push(definition);
    } else {
      const finding = describeShadow({ definition, winner });
      shadows.push({ definition, winner });
      if (finding?.code === "shadowed") diagnostics.push(finding);
      all.push(
        finding === null
          ? definition
          : { ...definition, diagnostics: [...definition.diagnostics, finding] },
      );
    }
  }
  diagnostics.push(...describeCopies(shadows));
  const agents = [...winners.values()].filter(
    ({ diagnostics: own, disabled }) => !hasError(own) && disabled !== true,
  );
  return { agents, all, diagnostics: withoutRepeats(diagnostics) };
}

/** A folder of two formats is walked once for each, and finds the same symlinks twice. */
export function withoutRepeats(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...new Map(diagnostics.map((finding) => [JSON.stringify(finding), finding])).values()];
}

/** Prose among definitions is normal; only `check` mentions it. */
function isWorthSaying(diagnostic: Diagnostic): boolean {
  return diagnostic.code !== "prose-skipped";
}

/** Why a program was not run. */
const unread: ReadonlySet<string> = new Set(["not-trusted", "program-later"]);

/** The name of a program that was not run is a guess from its file; it must not take the place of a real one. */
function holdsName({ diagnostics }: AgentDefinition): boolean {
  return diagnostics.every((diagnostic) => !unread.has(diagnostic.code));
}
