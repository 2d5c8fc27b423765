import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { findPack, packFolders, readPackReference } from "../../aip/location/resolve-aip.ts";
import { type GlobProblem, isNegated, isPackGlob } from "./glob.ts";
import { type GlobFolders, selectFiles } from "./select-files.ts";

/** Files of packs, and the problems of the globs that name them. */
export interface PackFiles {
  /** Absolute paths with their display names, `ns@pack/…`. */
  files: { path: string; shown: string }[];
  /** The folders of the packs, absolute. */
  folders: string[];
  problems: GlobProblem[];
}

/** Where packs are searched. */
export interface PackFolders extends Pick<GlobFolders, "workspace" | "walk"> {
  /** The user's home folder, where AIPack installs packs. */
  home: string;
}

/**
 * Selects the files that globs such as `pro@rust10x/guide/**` match. The globs of each pack form one list, with the rules of
 * workspace globs.
 */
export async function selectPackFiles(
  globs: readonly string[],
  folders: PackFolders,
): Promise<PackFiles> {
  const found: PackFiles = { files: [], folders: [], problems: [] };
  const packs = Map.groupBy(globs.filter(isPackGlob), nameOf);
  for (const [name, some] of packs) {
    const reference = readPackReference(name) ?? { namespace: "", name: "" };
    const pack = await findPack(folders, reference);
    if (pack === undefined) {
      found.problems.push(noPack(name, packFolders(folders, reference)));
      continue;
    }
    const folder = await realpath(pack.folder);
    const inner = some.map((glob) => withoutPack(glob, name));
    const { walk } = folders;
    const { paths, problems } = await selectFiles(inner, { workspace: folder, base: folder, walk });
    found.folders.push(folder);
    for (const path of paths) {
      found.files.push({ path: join(folder, path), shown: `${name}/${path}` });
    }
    for (const { severity, code, message, fix } of problems) {
      found.problems.push({ severity, code, message: `${name}: ${message}`, fix });
    }
  }
  return found;
}

function nameOf(glob: string): string {
  return /[\w-]+@[\w-]+/.exec(glob)?.[0] ?? "";
}

function withoutPack(glob: string, name: string): string {
  const rest = glob.slice(glob.indexOf(name) + name.length).replace(/^\//, "");
  return `${isNegated(glob) ? "!" : ""}${rest === "" ? "**" : rest}`;
}

function noPack(name: string, tried: readonly string[]): GlobProblem {
  const message = `There is no pack ${name}. Looked for: ${tried.join(", ")}.`;
  const fix = "Install it, or copy its files into the workspace.";
  return { severity: "warning", code: "glob-pack", message, fix };
}
