import type { Stats } from "node:fs";
import { lstat, readlink } from "node:fs/promises";
import { dirname, parse, resolve, sep } from "node:path";
import { isInside } from "../real-path.ts";

/** A moment, and where agents may have worked since then. */
export interface ChangePlace {
  /** The root of the project; absolute and real. */
  root: string;
  /** The folder agents work in; absolute and real. */
  cwd: string;
}

/** More symbolic links on the way to a file are a circle. */
const maxLinks = 40;

/**
 * Whether the file at `path` (absolute) may have got there, or may have got another content, after `since` (epoch
 * milliseconds). A file that is not there counts as changed.
 *
 * Looks at the time of the last change of status (ctime) of everything on the way to the file, because that is the one time of a
 * file that no program can set: writing, renaming, linking and `touch` all set it to the present. A folder that was moved
 * keeps the times of the files in it. So each folder counts too, when both it and the one it lies in have changed: moving it
 * there changes both, and a new file in it changes it alone. The project's root and `cwd` cannot be moved by agents that are
 * confined to `cwd`, nor can folders outside of the project.
 */
export async function isChangedSince(
  path: string,
  since: number,
  place: ChangePlace,
): Promise<boolean> {
  const isLater = ({ ctimeMs }: Stats): boolean => Math.floor(ctimeMs) > since;
  const way = await walkTo(path);
  if (way === null) return true;
  const folders = new Map(way.map(({ path: one, stats }) => [one, stats]));
  return way.some(({ path: one, stats }) => {
    if (!stats.isDirectory()) return isLater(stats);
    if (!isInside(one, place.root) || isInside(place.cwd, one) || !isLater(stats)) return false;
    const above = folders.get(dirname(one));
    return above === undefined || isLater(above);
  });
}

interface Waypoint {
  /** Without links before its last part. */
  path: string;
  stats: Stats;
}

/** Every folder and link on the way to a file, and the file; `null` when the way ends before. */
async function walkTo(path: string): Promise<Waypoint[] | null> {
  const { root } = parse(path);
  const way: Waypoint[] = [];
  const rest = split(path);
  let at = root;
  for (let links = 0; rest.length > 0;) {
    const next = resolve(at, rest.shift() ?? "");
    const stats = await lstat(next).catch(() => null);
    if (stats === null) return null;
    way.push({ path: next, stats });
    if (!stats.isSymbolicLink()) {
      at = next;
      continue;
    }
    links += 1;
    if (links > maxLinks) return null;
    // A target that is relative begins at the folder of the link.
    const target = resolve(at, await readlink(next));
    rest.unshift(...split(target));
    at = root;
  }
  return way;
}

function split(path: string): string[] {
  return path
    .slice(parse(path).root.length)
    .split(sep)
    .filter((part) => part !== "");
}
