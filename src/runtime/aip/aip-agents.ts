import { existsSync } from "node:fs";
import { basename, dirname, extname, join, relative, sep } from "node:path";
import type { AgentDefinition, AgentScope } from "../../agent/definition/agent.ts";
import { parseAip } from "../../aip/document/parse-aip.ts";
import {
  packAround,
  packRoots,
  readPackReference,
  resolveAip,
} from "../../aip/location/resolve-aip.ts";
import { CadreError } from "../../errors.ts";
import type { Diagnostic } from "../../source/diagnostic.ts";
import { projectFolders } from "../../source/file/project-root.ts";
import { isInside } from "../../source/file/real-path.ts";
import { readTextFile } from "../../source/file/text-file.ts";
import { walkFolder } from "../../source/file/walk-folder.ts";

/** The timeout of `.aip` agents in seconds; the format has no field for it. */
const aipSeconds = 3600;

/** Where `.aip` agents are looked for; absolute. */
export interface AipFolders {
  cwd: string;
  home: string;
}

/** The agents found. */
export interface FoundAgents {
  agents: AgentDefinition[];
  diagnostics: Diagnostic[];
}

/** Reports whether a file is an `.aip` agent. */
export function isAipFile(path: string): boolean {
  return path.toLowerCase().endsWith(".aip");
}

/** Reads an `.aip` file as the agent `name`. The definition includes the text, so a resume runs the same. */
async function loadAip(
  path: string,
  { name, scope }: { name: string; scope: AgentScope },
): Promise<AgentDefinition> {
  const { text, diagnostics } = await readTextFile(path);
  const aip = parseAip(text ?? "", path);
  return {
    name,
    description: aip.description ?? `AIPack agent in ${path}`,
    systemPrompt: text ?? "",
    timeoutSeconds: aipSeconds,
    source: { format: "aip", scope, path },
    diagnostics: text === null ? diagnostics : [...diagnostics, ...aip.diagnostics],
    lines: {},
  };
}

/** Reads an `.aip` file given by its path, which becomes its name: most files are called `main.aip`. */
export async function loadGivenAip(
  path: string,
  { cwd, home }: AipFolders,
): Promise<AgentDefinition> {
  const inPack = await nameInPack(path, { cwd, home });
  const name = inPack ?? relative(cwd, path).split(sep).join("/");
  return await loadAip(path, { name, scope: scopeOf(path, home) });
}

/** Finds the `.aip` agents of the project, the user, and packs. */
export async function discoverAips(folders: AipFolders): Promise<FoundAgents> {
  const found: FoundAgents = { agents: [], diagnostics: [] };
  const roots = packRoots({ workspace: folders.cwd, home: folders.home });
  const isUsers = (root: string): boolean => scopeOf(root, folders.home) === "user";
  for (const base of projectFolders(folders)) await addFolder(found, base, "project");
  for (const root of roots.filter((one) => !isUsers(one))) await addPacks(found, root, folders);
  await addFolder(found, folders.home, "user");
  for (const root of roots.filter(isUsers)) await addPacks(found, root, folders);
  return found;
}

async function addFolder(found: FoundAgents, base: string, scope: AgentScope): Promise<void> {
  const folder = join(base, ".cadre", "agents");
  const walk = { folder, root: base, isDeep: true, isWanted: isAipFile };
  const { files } = await walkFolder(walk);
  for (const path of files) {
    const stem = basename(path, extname(path));
    const isMain = stem === "main" && dirname(path) !== folder;
    const name = isMain ? basename(dirname(path)) : stem;
    found.agents.push(await loadAip(path, { name, scope }));
  }
}

/** Of several packs with the same name, the first is used. */
async function addPacks(found: FoundAgents, root: string, folders: AipFolders): Promise<void> {
  const scope = scopeOf(root, folders.home) === "user" ? "user" : "project";
  const lookup = { workspace: folders.cwd, home: folders.home };
  const { files, diagnostics } = await walkFolder({
    folder: root,
    root,
    isDeep: true,
    isWanted: isAipFile,
  });
  found.diagnostics.push(...diagnostics);
  for (const path of files) {
    const pack = packAround(path, lookup);
    if (pack === undefined) continue;
    const reference = `${pack.namespace}@${pack.name}`;
    const first = packRoots(lookup).find((one) => existsSync(join(one, pack.namespace, pack.name)));
    if (first !== root) continue;
    const name = await nameInPack(path, folders);
    found.agents.push(await loadAip(path, { name: name ?? reference, scope }));
  }
}

/** Returns `ns@pack` for a pack's main agent and `ns@pack/path` for others; `undefined` outside packs. */
async function nameInPack(path: string, { cwd, home }: AipFolders): Promise<string | undefined> {
  const lookup = { workspace: cwd, home };
  const pack = packAround(path, lookup);
  if (pack === undefined) return undefined;
  const reference = `${pack.namespace}@${pack.name}`;
  if ((await defaultOf(reference, { ...lookup, from: cwd })) === path) return reference;
  const inner = relative(pack.folder, path).split(sep).join("/");
  return `${reference}/${inner.replace(/(?:\/main)?\.aip$/i, "")}`;
}

/** Reports whether the agent of that name comes from a pack. Other `.aip` files are named by their paths. */
export function isPackAgent(name: string): boolean {
  return readPackReference(name) !== undefined && !isAipFile(name);
}

async function defaultOf(
  reference: string,
  lookup: Parameters<typeof resolveAip>[1],
): Promise<string | undefined> {
  try {
    return (await resolveAip(reference, lookup)).path;
  } catch (error) {
    // Packs may lack one.
    if (error instanceof CadreError) return undefined;
    throw error;
  }
}

/** Packs in the user's folder are the user's, even when named by path. */
function scopeOf(path: string, home: string): AgentScope {
  return isInside(path, join(home, ".aipack-base")) ? "user" : "library";
}
