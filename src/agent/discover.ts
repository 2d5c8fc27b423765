// Agent definitions: finds agent files in every format, reads, checks and converts them.

import { resolve } from "node:path";
import { type Diagnostic, hasError, withoutRepeats } from "../source/diagnostic.ts";
import { findProjectRoot, projectFolders } from "../source/file/project-root.ts";
import type { AgentDefinition, AgentScope } from "./definition/agent.ts";
import { createMainAgent } from "./definition/builtin.ts";
import type {
  AgentFileFormat,
  AgentFileRequest,
  AgentSearch,
  FormatTable,
} from "./format/agent-file-format.ts";
import { declarationsOf, builtInFormats } from "./find-format.ts";
import { loadFile, type LoadedFile } from "./load-file.ts";
import { describeCopies, describeShadow, type Shadow } from "./describe-shadows.ts";
import { walkFolder } from "../source/file/walk-folder.ts";

/** The number of files open at once. */
const filesAtOnce = 32;

/** Where to look for agents. */
export interface DiscoverRequest {
  /** Absolute. */
  cwd: string;
  /** The user's home folder, absolute. */
  home: string;
  /** Definition files given by the user. They take precedence over every discovered agent. */
  files?: readonly string[];
  /** Reports whether code at a path may run. */
  isTrusted: (path: string) => boolean;
  /** See `AgentFileRequest.isLater`. */
  isLater?: (path: string) => boolean;
  /** Returns the names of the program's tools. Absent = none. */
  ownTools?: () => readonly string[];
  /** Default: Cadre's own formats. */
  formats?: FormatTable;
}

/** The agents of a project, its user and Cadre. */
export interface Discovery {
  /** The agents that can receive delegations, including the built-in one: one of each name, without errors. */
  agents: AgentDefinition[];
  /** Every definition in order of precedence, including broken and shadowed ones; their diagnostics say why. */
  all: AgentDefinition[];
  /** Every finding, including those about files and folders that are not definitions. */
  diagnostics: Diagnostic[];
}

/** Describes all agents as JSON, with their findings and whether each can be run. Broken and shadowed ones cannot. */
export function describeDiscovery({ agents, all, diagnostics }: Discovery): {
  agents: (AgentDefinition & { isUsable: boolean })[];
  diagnostics: Diagnostic[];
} {
  const usable = new Set(agents);
  const listed = all.map((agent) => ({ ...agent, isUsable: usable.has(agent) }));
  return { agents: listed, diagnostics };
}

/**
 * Finds all agents: given files, then the project's from `cwd` up to its root, then the user's, then the built-in one. The first
 * definition of a name takes precedence even if it has errors, because a definition that may do more must not silently replace a
 * broken one.
 */
export async function discoverAgents(request: DiscoverRequest): Promise<Discovery> {
  const { formats = builtInFormats } = request;
  const settings = settingsOf(request);
  const given = await loadAll(
    (request.files ?? []).map((path) => resolve(request.cwd, path)),
    (path) => loadFile({ path, formats, scope: "library", ...settings }),
  );
  const users = searchesIn(request.home, request.home, "user", formats);
  const searches = [...projectSearches({ ...request, formats }), ...users];
  const loaded = [...given];
  for (const search of searches) loaded.push(...(await loadFolder(search, settings)));
  const builtin = { definition: createMainAgent(), diagnostics: [] };
  return resolveNames([...mergeDeclarations(loaded, formats), builtin]);
}

/** Returns the agent folders of the project, in order of precedence. */
export function projectSearches({
  cwd,
  home,
  formats,
}: Pick<DiscoverRequest, "cwd" | "home" | "formats">): AgentSearch[] {
  const root = findProjectRoot({ cwd, home });
  return projectFolders({ cwd, home }).flatMap((base) =>
    searchesIn(base, root, "project", formats),
  );
}

/** The settings for loading all files. */
type LoadSettings = Pick<AgentFileRequest, "isTrusted" | "isLater" | "ownTools">;

function settingsOf({ isTrusted, isLater, ownTools }: DiscoverRequest): LoadSettings {
  return { isTrusted, isLater, ownTools: ownTools?.() ?? [] };
}

/** Loads the definitions in one folder, and those that the format's program declares in its configuration. */
export async function loadFolder(
  search: AgentSearch,
  settings: LoadSettings,
): Promise<LoadedFile[]> {
  const { format, folder, base, root, scope } = search;
  const { files, diagnostics } = await walkFolder({
    folder: resolve(base, scope === "user" ? folder.userPath : folder.path),
    root,
    isDeep: folder.isDeep,
    isWanted: (name) => isDefinitionFile(name, format),
  });
  const declarations = declarationsOf(format);
  const declared = await declarations?.load(resolve(base, declarations.file), {
    ...search,
    ownTools: settings.ownTools,
  });
  const found = await loadAll(
    files.filter((path) => declared?.files.has(path) !== true),
    (path) => loadFile({ path, format, scope, ...settings }),
  );
  const roles = (declared?.definitions ?? []).map((definition) => ({
    definition,
    diagnostics: [...definition.diagnostics],
  }));
  const other = [...diagnostics, ...(declared?.diagnostics ?? [])];
  const all = [...found, ...roles];
  return other.length === 0 ? all : [{ definition: null, diagnostics: other }, ...all];
}

/** Reports whether a file in a format's folder is a definition, by its name. */
export function isDefinitionFile(name: string, { extensions, ignores }: AgentFileFormat): boolean {
  return extensions.some((extension) => name.endsWith(extension)) && ignores?.(name) !== true;
}

/** Completes the definitions of each format that declares agents from definitions of lower precedence. */
export function mergeDeclarations(
  loaded: readonly LoadedFile[],
  { formats }: FormatTable = builtInFormats,
): LoadedFile[] {
  const definitions = loaded.flatMap(({ definition }) => definition ?? []);
  const merged = new Map<AgentDefinition, AgentDefinition>();
  for (const format of formats) {
    const own = definitions.filter(({ source }) => source.format === format.name);
    const completed = declarationsOf(format)?.merge(own) ?? [];
    completed.forEach((after, index) => merged.set(own[index] ?? after, after));
  }
  return loaded.map((file) => {
    const definition = file.definition === null ? undefined : merged.get(file.definition);
    if (definition === undefined || definition === file.definition) return file;
    return { definition, diagnostics: [...definition.diagnostics] };
  });
}

/** Returns every format's folders below `base`. */
export function searchesIn(
  base: string,
  root: string,
  scope: AgentScope,
  { folders }: FormatTable = builtInFormats,
): AgentSearch[] {
  return folders.map(({ format, ...folder }) => ({ format, folder, base, root, scope }));
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

/** Chooses the definition for each name, and reports the others. */
function resolveNames(loaded: readonly LoadedFile[]): Discovery {
  const all: AgentDefinition[] = [];
  const winners = new Map<string, AgentDefinition>();
  const diagnostics: Diagnostic[] = [];
  const shadows: Shadow[] = [];
  for (const { definition, diagnostics: own } of loaded) {
    diagnostics.push(...own);
    if (definition === null) continue;
    const winner = winners.get(definition.name);
    if (winner === undefined) {
      if (claimsName(definition)) winners.set(definition.name, definition);
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

/** The codes of programs whose code did not run. */
const unread: ReadonlySet<string> = new Set(["not-trusted", "program-later"]);

/**
 * Reports whether a definition claims its name. A program that did not run is named after its file, and that name must not shadow
 * a real one.
 */
function claimsName({ diagnostics }: AgentDefinition): boolean {
  return diagnostics.every((diagnostic) => !unread.has(diagnostic.code));
}
