import { lstatSync, readlinkSync, type Stats } from "node:fs";
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
 * there changes both, and a new file in it changes it alone. Does not wait: a look takes microseconds, and every delegation takes one. The project's root and `cwd` cannot be moved by agents that are
 * confined to `cwd`, nor can folders outside of the project.
 */
export function isChangedSince(path: string, since: number, place: ChangePlace): boolean {
  const isLater = ({ ctimeMs }: Stats): boolean => Math.floor(ctimeMs) > since;
  const way = walkTo(path);
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
function walkTo(path: string): Waypoint[] | null {
  const { root } = parse(path);
  const way: Waypoint[] = [];
  const rest = split(path);
  let at = root;
  for (let links = 0; rest.length > 0;) {
    const next = resolve(at, rest.shift() ?? "");
    const stats = look(next);
    if (stats === null) return null;
    way.push({ path: next, stats });
    if (!stats.isSymbolicLink()) {
      at = next;
      continue;
    }
    links += 1;
    if (links > maxLinks) return null;
    // A target that is relative begins at the folder of the link.
    const target = resolve(at, readlinkSync(next));
    rest.unshift(...split(target));
    at = root;
  }
  return way;
}

function look(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    // Not there, or not to be seen.
    return null;
  }
}

function split(path: string): string[] {
  return path
    .slice(parse(path).root.length)
    .split(sep)
    .filter((part) => part !== "");
}
