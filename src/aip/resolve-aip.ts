import { stat } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { parse } from "smol-toml";
import { CadreError } from "../errors.ts";

import { readTextFile } from "../source/text-file.ts";
import { type AipPack, baseFolder, projectPackFolders } from "./aip-place.ts";
import { isInside } from "../source/real-path.ts";

/** Where references are looked up. */
export interface AipLookup {
  /** The folder that has `.aipack`, absolute. */
  workspace: string;
  /** The user's home. */
  home: string;
  /** The folder that relative paths begin at. */
  from: string;
}

/** The file behind a reference. */
export interface ResolvedAip {
  path: string;
  pack?: AipPack;
}

/** `ns@pack`, and what may stand behind it. */
const reference = /^([A-Za-z_][\w-]*)@([A-Za-z_][\w-]*)(?:\$(workspace|base))?(?:\/(.*))?$/;

/** The parts of a path that begins with a pack. */
export interface PackReference {
  namespace: string;
  name: string;
  /** The pack's own files, or those it keeps in the workspace or for all. */
  scope: "pack" | "workspace" | "base";
  /** Behind the pack, without the slash. */
  rest: string;
}

/** Reads `ns@pack/…`, `ns@pack$workspace/…`, `ns@pack$base/…`; `undefined` for any other path. */
export function readPackReference(path: string): PackReference | undefined {
  const match = reference.exec(path);
  if (match === null) return undefined;
  const [, namespace = "", name = "", scope, rest = ""] = match;
  return {
    namespace,
    name,
    scope: scope === "workspace" || scope === "base" ? scope : "pack",
    rest,
  };
}

/** The folders that packs lie in, as `namespace/name`, in order of precedence. */
export function packRoots({ workspace, home }: Pick<AipLookup, "workspace" | "home">): string[] {
  return [
    ...projectPackFolders.map((path) => join(workspace, path)),
    join(baseFolder(home), "pack", "custom"),
    join(baseFolder(home), "pack", "installed"),
  ];
}

/** The folders a pack may lie in; the first that exists counts, so that one's own comes before the installed. */
export function packFolders(
  lookup: Pick<AipLookup, "workspace" | "home">,
  { namespace, name }: Pick<PackReference, "namespace" | "name">,
): string[] {
  return packRoots(lookup).map((root) => join(root, namespace, name));
}

/** The pack that a file lies in; `undefined` when it lies in none. */
export function packAround(
  path: string,
  lookup: Pick<AipLookup, "workspace" | "home">,
): AipPack | undefined {
  const root = packRoots(lookup).find((folder) => isInside(path, folder));
  if (root === undefined) return undefined;
  const [namespace = "", name = "", ...rest] = relative(root, path).split(sep);
  return rest.length === 0 ? undefined : { namespace, name, folder: join(root, namespace, name) };
}

/** The pack, where it lies. `undefined` when it is nowhere. */
export async function findPack(
  lookup: Pick<AipLookup, "workspace" | "home">,
  pack: Pick<PackReference, "namespace" | "name">,
): Promise<AipPack | undefined> {
  const { namespace, name } = pack;
  for (const folder of packFolders(lookup, pack)) {
    if ((await kindOf(folder)) === "folder") return { namespace, name, folder };
  }
  return undefined;
}

/**
 * Finds the `.aip` file behind `ns@pack`, `ns@pack/path` or a path: the file itself, with `.aip` behind it, or
 * `main.aip` in the folder (for a pack, what its `pack.toml` names as `default_aip_path`).
 *
 * @throws CadreError `agent-not-found` that lists where it was looked for.
 */
export async function resolveAip(name: string, lookup: AipLookup): Promise<ResolvedAip> {
  const parts = readPackReference(name);
  if (parts === undefined) {
    const expanded = name.startsWith("~/") ? join(lookup.home, name.slice(2)) : name;
    const tried = candidates(resolve(lookup.from, expanded), name.endsWith("/"));
    return { path: await firstFile(name, tried) };
  }
  if (parts.scope !== "pack") throw notFound(name, [], "an agent lies in a pack, not beside it");
  const pack = await findPack(lookup, parts);
  if (pack === undefined) throw notFound(name, packFolders(lookup, parts), "there is no such pack");
  const rest = parts.rest === "" ? await defaultPath(pack) : parts.rest;
  const path = resolve(pack.folder, rest);
  if (!isInside(path, pack.folder)) throw notFound(name, [], "it leads out of the pack");
  return { pack, path: await firstFile(name, candidates(path, parts.rest.endsWith("/"))) };
}

function candidates(path: string, isFolder: boolean): string[] {
  if (path.endsWith(".aip")) return [path];
  const main = join(path, "main.aip");
  return isFolder ? [main] : [`${path}.aip`, main];
}

async function firstFile(name: string, paths: readonly string[]): Promise<string> {
  for (const path of paths) {
    if ((await kindOf(path)) === "file") return path;
  }
  throw notFound(name, paths, "there is no such file");
}

async function defaultPath(pack: AipPack): Promise<string> {
  const { text } = await readTextFile(join(pack.folder, "pack.toml"));
  if (text === null) return "main.aip";
  try {
    const value = parse(text)["default_aip_path"];
    return typeof value === "string" && value !== "" ? value : "main.aip";
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new CadreError(
      "definition-invalid",
      `${join(pack.folder, "pack.toml")} is expected to be TOML: ${message}`,
      { cause: error },
    );
  }
}

function notFound(name: string, tried: readonly string[], why: string): CadreError {
  const places = tried.length === 0 ? "" : ` Looked for: ${tried.join(", ")}.`;
  return new CadreError("agent-not-found", `No .aip agent behind ${name}: ${why}.${places}`, {
    details: { reference: name, tried },
  });
}

/** What is at a path. */
export async function kindOf(path: string): Promise<"file" | "folder" | null> {
  try {
    const status = await stat(path);
    return status.isDirectory() ? "folder" : status.isFile() ? "file" : null;
  } catch {
    // Nothing there, or nothing that may be seen.
    return null;
  }
}
