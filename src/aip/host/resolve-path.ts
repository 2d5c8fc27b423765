import { join, resolve } from "node:path";
import { readableFolders, supportFolder, writableFolders } from "../aip-place.ts";
import { isInside } from "../../source/real-path.ts";
import { findPack, packFolders, readPackReference } from "../resolve-aip.ts";
import type { PathContext } from "./host-call.ts";

/** The pack that a path begins with is not installed. */
class MissingPack extends Error {}

/**
 * The absolute path a script means: `ns@pack/…`, `$tmp/…`, `~/…`, absolute, or relative to `base` (default the
 * workspace). Nothing is checked.
 */
export async function resolvePath(
  path: string,
  context: PathContext,
  base?: string,
): Promise<string> {
  const { place } = context;
  if (path.includes("\0")) throw new Error("a path without NUL characters is expected");
  if (path === "$tmp" || path.startsWith("$tmp/")) return join(place.temporary, path.slice(4));
  if (path === "~" || path.startsWith("~/")) return join(place.home, path.slice(1));
  const pack = readPackReference(path);
  if (pack === undefined) {
    const start =
      base === undefined || base === "" ? place.workspace : await resolvePath(base, context);
    return resolve(start, path);
  }
  if (pack.scope !== "pack") return join(supportFolder(place, pack, pack.scope), pack.rest);
  const found = await findPack(place, pack);
  if (found !== undefined) return join(found.folder, pack.rest);
  const tried = packFolders(place, pack).join(", ");
  throw new MissingPack(`there is no pack ${pack.namespace}@${pack.name}; looked for: ${tried}`);
}

/** The same, in a folder that scripts may read. */
export async function readablePath(
  path: string,
  context: PathContext,
  base?: string,
): Promise<string> {
  const { place, port } = context;
  const alsoReadable = readableFolders(place, port);
  const whole = await resolvePath(path, context, base);
  return port.confine(whole, { workspace: place.workspace, alsoReadable });
}

/** `path`, or `undefined` when its pack is not installed: for questions to which "nothing is there" is an answer. */
export async function ifInstalled(path: Promise<string>): Promise<string | undefined> {
  return await path.catch((error: unknown) => {
    if (error instanceof MissingPack) return undefined;
    throw error;
  });
}

/** The same, in a folder that scripts may write to. */
export async function writablePath(path: string, context: PathContext): Promise<string> {
  const { place, port } = context;
  const whole = await resolvePath(path, context);
  const alsoReadable = writableFolders(place);
  return port.confine(whole, { workspace: place.workspace, alsoReadable });
}

/** The same, in the workspace: what packs keep for all workspaces is written to, but never taken away. */
export async function movablePath(path: string, context: PathContext): Promise<string> {
  const full = await writablePath(path, context);
  if (isInside(full, context.place.workspace)) return full;
  throw new Error(`${path} is outside the workspace; only files in it are deleted or moved`);
}
