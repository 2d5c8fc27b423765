import { dirname, join } from "node:path";
import type { AipPort } from "./aip-port.ts";
import { isInside } from "../source/real-path.ts";

/** A pack: files that belong together under `namespace@name`. */
export interface AipPack {
  namespace: string;
  name: string;
  /** Absolute. */
  folder: string;
}

/** Where an agent lies and what is around it. */
export interface AipPlace {
  /** The `.aip` file, absolute. */
  path: string;
  pack?: AipPack;
  workspace: string;
  home: string;
  /** `$tmp`: for the files of one run. */
  temporary: string;
}

/** Where a project keeps packs and their options, below its folder. */
export const projectPackFolders: readonly string[] = [".aipack/custom", ".aipack/pack/custom"];

/** The place of the agent in the file at `path`. */
export function placeOf(path: string, pack: AipPack | undefined, port: AipPort): AipPlace {
  const { workspace, home, runId } = port;
  const temporary = join(workspace, ".aipack", ".sessions", runId, "tmp");
  return { path, workspace, home, temporary, ...(pack === undefined ? {} : { pack }) };
}

/** The user's folder of packs. */
export function baseFolder(home: string): string {
  return join(home, ".aipack-base");
}

/** Where a pack keeps files of its own: in the workspace, or for all workspaces. */
export function supportFolder(
  { workspace, home }: Pick<AipPlace, "workspace" | "home">,
  pack: Pick<AipPack, "namespace" | "name">,
  scope: "workspace" | "base",
): string {
  const root = scope === "workspace" ? join(workspace, ".aipack") : baseFolder(home);
  return join(root, "support", "pack", pack.namespace, pack.name);
}

/** The folders a script may read beside the workspace. */
export function readableFolders(place: AipPlace, port: Pick<AipPort, "readRoots">): string[] {
  const { home, pack } = place;
  const own = dirname(place.path);
  return [
    ...writableFolders(place),
    join(baseFolder(home), "pack"),
    ...(pack === undefined ? [] : [pack.folder]),
    // An agent that lies in the user's home itself must not open all of it.
    ...(isInside(home, own) ? [] : [own]),
    ...(port.readRoots ?? []),
  ];
}

/** The folders a script may write to beside the workspace. */
export function writableFolders({ home, temporary }: AipPlace): string[] {
  return [join(baseFolder(home), "support", "pack"), temporary];
}
