import { stat } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { parse } from "smol-toml";
import { CadreError } from "../../errors.ts";

import { readTextFile } from "../../source/file/text-file.ts";
import { type AipPack, baseFolder, projectPackFolders } from "./aip-location.ts";
import { isInside } from "../../source/file/real-path.ts";
import { errorMessage } from "../../error-message.ts";

/** Where to look up references. */
export interface AipLookup {
  /** The folder that contains `.aipack`, absolute. */
  workspace: string;
  /** The user's home folder. */
  home: string;
  /** The folder that relative paths start from. */
  from: string;
}

/** The file of a reference. */
export interface ResolvedAip {
  path: string;
  pack?: AipPack;
}

/** Matches `ns@pack` and an optional rest. */
const reference = /^([A-Za-z_][\w-]*)@([A-Za-z_][\w-]*)(?:\$(workspace|base))?(?:\/(.*))?$/;

/** The parts of a path that begins with a pack. */
export interface PackReference {
  namespace: string;
  name: string;
  /** The pack's own files, or its data in the workspace or for all workspaces. */
  scope: "pack" | "workspace" | "base";
  /** The rest after the pack, without the slash. */
  rest: string;
}

/** Parses `ns@pack/…`, `ns@pack$workspace/…`, `ns@pack$base/…`; `undefined` for other paths. */
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

/** Returns the folders that contain packs as `namespace/name`, in order of precedence. */
export function packRoots({ workspace, home }: Pick<AipLookup, "workspace" | "home">): string[] {
  return [
    ...projectPackFolders.map((path) => join(workspace, path)),
    join(baseFolder(home), "pack", "custom"),
    join(baseFolder(home), "pack", "installed"),
  ];
}

/** Returns the possible folders of a pack. The first one that exists counts, so custom packs precede installed ones. */
export function packFolders(
  lookup: Pick<AipLookup, "workspace" | "home">,
  { namespace, name }: Pick<PackReference, "namespace" | "name">,
): string[] {
  return packRoots(lookup).map((root) => join(root, namespace, name));
}

/** Returns the pack that contains a file; `undefined` without one. */
export function packAround(
  path: string,
  lookup: Pick<AipLookup, "workspace" | "home">,
): AipPack | undefined {
  const root = packRoots(lookup).find((folder) => isInside(path, folder));
  if (root === undefined) return undefined;
  const [namespace = "", name = "", ...rest] = relative(root, path).split(sep);
  return rest.length === 0 ? undefined : { namespace, name, folder: join(root, namespace, name) };
}

/** Finds a pack; `undefined` when it does not exist. */
export async function findPack(
  lookup: Pick<AipLookup, "workspace" | "home">,
  pack: Pick<PackReference, "namespace" | "name">,
): Promise<AipPack | undefined> {
  const { namespace, name } = pack;
  for (const folder of packFolders(lookup, pack)) {
    if ((await pathKind(folder)) === "folder") return { namespace, name, folder };
  }
  return undefined;
}

/**
 * Finds the `.aip` file of `ns@pack`, `ns@pack/path` or a path: the file itself, with `.aip` appended, or `main.aip` in the
 * folder (for a pack, the `default_aip_path` of its `pack.toml`).
 *
 * @throws CadreError `agent-not-found` that lists the searched paths.
 */
export async function resolveAip(name: string, lookup: AipLookup): Promise<ResolvedAip> {
  const parts = readPackReference(name);
  if (parts === undefined) {
    const expanded = name.startsWith("~/") ? join(lookup.home, name.slice(2)) : name;
    const tried = candidates(resolve(lookup.from, expanded), name.endsWith("/"));
    return { path: await firstFile(name, tried) };
  }
  if (parts.scope !== "pack") throw notFound(name, [], "an agent must be inside a pack");
  const pack = await findPack(lookup, parts);
  if (pack === undefined)
    throw notFound(name, packFolders(lookup, parts), "the pack does not exist");
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
    if ((await pathKind(path)) === "file") return path;
  }
  throw notFound(name, paths, "the file does not exist");
}

async function defaultPath(pack: AipPack): Promise<string> {
  const { text } = await readTextFile(join(pack.folder, "pack.toml"));
  if (text === null) return "main.aip";
  try {
    const value = parse(text)["default_aip_path"];
    return typeof value === "string" && value !== "" ? value : "main.aip";
  } catch (error) {
    const message = errorMessage(error);
    throw new CadreError(
      "definition-invalid",
      `${join(pack.folder, "pack.toml")} must be TOML: ${message}`,
      { cause: error },
    );
  }
}

function notFound(name: string, tried: readonly string[], why: string): CadreError {
  const places = tried.length === 0 ? "" : ` Looked for: ${tried.join(", ")}.`;
  return new CadreError("agent-not-found", `No .aip agent found for ${name}: ${why}.${places}`, {
    details: { reference: name, tried },
  });
}

/** Returns the kind of a path. */
export async function pathKind(path: string): Promise<"file" | "folder" | null> {
  try {
    const status = await stat(path);
    return status.isDirectory() ? "folder" : status.isFile() ? "file" : null;
  } catch {
    // Missing, or not accessible.
    return null;
  }
}
