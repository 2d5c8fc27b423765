import { join, resolve } from "node:path";
import { readableFolders, supportFolder, writableFolders } from "../location/aip-location.ts";
import { isInside } from "../../source/file/real-path.ts";
import { findPack, packFolders, readPackReference } from "../location/resolve-aip.ts";
import type { PathContext } from "./host-call.ts";

/** Thrown when the pack of a path is not installed. */
class MissingPack extends Error {}

/**
 * Resolves a script's path: `ns@pack/…`, `$tmp/…`, `~/…`, absolute, or relative to `base` (default the workspace). Checks
 * nothing.
 */
export async function resolveScriptPath(
  path: string,
  context: PathContext,
  base?: string,
): Promise<string> {
  const { location } = context;
  if (path.includes("\0")) throw new Error("expected a path without NUL characters");
  if (path === "$tmp" || path.startsWith("$tmp/")) return join(location.temporary, path.slice(4));
  if (path === "~" || path.startsWith("~/")) return join(location.home, path.slice(1));
  const pack = readPackReference(path);
  if (pack === undefined) {
    const start =
      base === undefined || base === ""
        ? location.workspace
        : await resolveScriptPath(base, context);
    return resolve(start, path);
  }
  if (pack.scope !== "pack") return join(supportFolder(location, pack, pack.scope), pack.rest);
  const found = await findPack(location, pack);
  if (found !== undefined) return join(found.folder, pack.rest);
  const tried = packFolders(location, pack).join(", ");
  throw new MissingPack(`there is no pack ${pack.namespace}@${pack.name}; looked for: ${tried}`);
}

/** Resolves a path in a folder that scripts may read. */
export async function readablePath(
  path: string,
  context: PathContext,
  base?: string,
): Promise<string> {
  const { location, port } = context;
  const alsoReadable = readableFolders(location);
  const whole = await resolveScriptPath(path, context, base);
  return port.confine(whole, { workspace: location.workspace, alsoReadable });
}

/** Returns `path`, or `undefined` when its pack is not installed, for calls to which a missing file is a valid answer. */
export async function ifInstalled(path: Promise<string>): Promise<string | undefined> {
  return await path.catch((error: unknown) => {
    if (error instanceof MissingPack) return undefined;
    throw error;
  });
}

/** Resolves a path in a folder that scripts may write to. */
export async function writablePath(path: string, context: PathContext): Promise<string> {
  const { location, port } = context;
  const whole = await resolveScriptPath(path, context);
  const alsoReadable = writableFolders(location);
  return port.confine(whole, { workspace: location.workspace, alsoReadable });
}

/** Resolves a path in the workspace. Scripts may write a pack's files for all workspaces, but never delete or move them. */
export async function movablePath(path: string, context: PathContext): Promise<string> {
  const full = await writablePath(path, context);
  if (isInside(full, context.location.workspace)) return full;
  throw new Error(`${path} is outside the workspace; only files in it are deleted or moved`);
}
