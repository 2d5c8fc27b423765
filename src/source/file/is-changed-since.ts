import { lstatSync, readlinkSync, type Stats } from "node:fs";
import { dirname, parse, resolve, sep } from "node:path";
import { isInside } from "./real-path.ts";

/** The folders that agents may have changed. */
export interface ChangeableFolders {
  /** The root of the project, absolute and real. */
  root: string;
  /** The folder that agents work in, absolute and real. */
  cwd: string;
}

/** The number of symbolic links on the way to a file above which they count as a cycle. */
const maxLinks = 40;

/**
 * Reports whether the file at `path` (absolute) may have appeared or changed after `since` (epoch milliseconds). A
 * missing file counts as changed.
 *
 * It reads the ctime of every folder, link and file on the way, the only time of a file that no program can set:
 * writing, renaming, linking and `touch` all set it to the present. Moving a folder keeps the times of its files, so a
 * folder also counts as changed when both it and its parent have changed: moving a folder changes both, while a new file
 * changes only its folder. The project's root, `cwd` and folders outside the project do not count, because agents
 * confined to `cwd` cannot move them. The function is synchronous, because it takes microseconds and every delegation
 * calls it.
 */
export function isChangedSince(
  path: string,
  since: number,
  changeableFolders: ChangeableFolders,
): boolean {
  const isLater = ({ ctimeMs }: Stats): boolean => Math.floor(ctimeMs) > since;
  const waypoints = walkTo(path);
  if (waypoints === null) return true;
  const folders = new Map(waypoints.map(({ path: one, stats }) => [one, stats]));
  return waypoints.some(({ path: one, stats }) => {
    if (!stats.isDirectory()) return isLater(stats);
    if (
      !isInside(one, changeableFolders.root) ||
      isInside(changeableFolders.cwd, one) ||
      !isLater(stats)
    )
      return false;
    const above = folders.get(dirname(one));
    return above === undefined || isLater(above);
  });
}

interface Waypoint {
  /** The path without links except for its last part. */
  path: string;
  stats: Stats;
}

/** Returns every folder and link on the way to a file, and the file itself; `null` when one of them is missing. */
function walkTo(path: string): Waypoint[] | null {
  const { root } = parse(path);
  const waypoints: Waypoint[] = [];
  const rest = split(path);
  let at = root;
  for (let links = 0; rest.length > 0;) {
    const next = resolve(at, rest.shift() ?? "");
    const stats = readStats(next);
    if (stats === null) return null;
    waypoints.push({ path: next, stats });
    if (!stats.isSymbolicLink()) {
      at = next;
      continue;
    }
    links += 1;
    if (links > maxLinks) return null;
    // A relative target is resolved from the folder of the link.
    const target = resolve(at, readlinkSync(next));
    rest.unshift(...split(target));
    at = root;
  }
  return waypoints;
}

function readStats(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    // Missing or not accessible.
    return null;
  }
}

function split(path: string): string[] {
  return path
    .slice(parse(path).root.length)
    .split(sep)
    .filter((part) => part !== "");
}
