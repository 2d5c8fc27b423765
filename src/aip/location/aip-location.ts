// The location of an `.aip` agent: its pack, folders and references, and the port to everything outside.

import { dirname, join } from "node:path";
import type { AipPort } from "./aip-port.ts";
import { isInside } from "../../source/file/real-path.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** A pack: files that belong together under `namespace@name`. */
export interface AipPack {
  namespace: string;
  name: string;
  /** Absolute. */
  folder: string;
}

/** The file of an agent and the folders around it. */
export interface AipLocation {
  /** The `.aip` file, absolute. */
  path: string;
  pack?: AipPack;
  workspace: string;
  home: string;
  /** `$tmp`, the folder of temporary files of one run. */
  temporary: string;
}

/** The folders of packs and their options, relative to a project. */
export const projectPackFolders: readonly string[] = [".aipack/custom", ".aipack/pack/custom"];

/** Returns the place of the agent in the file at `path`. */
export function positionOf(path: string, pack: AipPack | undefined, port: AipPort): AipLocation {
  const { workspace, home, runId } = port;
  const temporary = join(workspace, ".aipack", ".sessions", runId, "tmp");
  return { path, workspace, home, temporary, ...omitUndefined({ pack }) };
}

/** Returns the user's folder of packs. */
export function baseFolder(home: string): string {
  return join(home, ".aipack-base");
}

/** Returns the folder of a pack's own data: in the workspace, or for all workspaces. */
export function supportFolder(
  { workspace, home }: Pick<AipLocation, "workspace" | "home">,
  pack: Pick<AipPack, "namespace" | "name">,
  scope: "workspace" | "base",
): string {
  const root = scope === "workspace" ? join(workspace, ".aipack") : baseFolder(home);
  return join(root, "support", "pack", pack.namespace, pack.name);
}

/** Returns the folders that a script may read besides the workspace. */
export function readableFolders(location: AipLocation): string[] {
  const { home, pack } = location;
  const own = dirname(location.path);
  return [
    ...writableFolders(location),
    join(baseFolder(home), "pack"),
    ...(pack === undefined ? [] : [pack.folder]),
    // An agent directly in the user's home folder must not open all of it.
    ...(isInside(home, own) ? [] : [own]),
  ];
}

/** Returns the folders that a script may write to besides the workspace. */
export function writableFolders({ home, temporary }: AipLocation): string[] {
  return [join(baseFolder(home), "support", "pack"), temporary];
}
