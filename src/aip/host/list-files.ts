import { readdir, stat } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import { isRecord, type JsonObject } from "../../source/json.ts";
import { createGlobTest } from "../library/glob.ts";
import { isInside } from "../../source/file/real-path.ts";
import type { LuaValue } from "../lua/lua-value.ts";
import { readPackReference } from "../location/resolve-aip.ts";
import { fileInfo } from "./file-info.ts";
import type { HostCall, PathContext } from "./host-call.ts";
import { ifInstalled, readablePath, resolveScriptPath } from "./resolve-path.ts";

/** Folders that are skipped unless a glob names them. */
const heavy = [".aipack/", ".git/", "target/", "node_modules/", ".build/", "__pycache__/"] as const;
const always = /(?:^|\/)(?:\.DS_Store|Thumbs\.db|[^/]*\.swp)$/;
/** More files are a mistake in a glob, and the journal records the list. */
const limits = { files: 20_000, entries: 500_000 } as const;

/** Lists the files of globs, ordered by the last glob that matches each, then by path. */
export const listCalls: Readonly<Record<string, HostCall>> = {
  "file.list": {
    isRecorded: true,
    run: (args, context) =>
      listFilesForScript(args[0] as string[], isRecord(args[1]) ? args[1] : {}, context),
  },
};

/** Lists the files that `given` globs of a script match, and describes each. */
export async function listFilesForScript(
  given: readonly string[],
  options: Readonly<Record<string, LuaValue>>,
  context: PathContext,
): Promise<JsonObject[]> {
  const globs = given.map((glob) => glob.trim()).filter((glob) => glob !== "");
  const base = typeof options["base"] === "string" ? options["base"] : "";
  const start = await ifInstalled(readablePath(base === "" ? "." : base, context));
  if (start === undefined) return [];
  const place = (glob: string): Promise<PlacedGlob | undefined> => placeGlob(glob, start, context);
  const excluded = await Promise.all(
    globs.filter((glob) => glob.startsWith("!")).map((glob) => place(glob.slice(1))),
  );
  const skipped = heavy.filter((folder) => !globs.some((glob) => glob.includes(folder)));
  const ranks = new Map<string, number>();
  for (const [rank, glob] of globs.filter((each) => !each.startsWith("!")).entries()) {
    const placed = await place(glob);
    for (const path of placed === undefined ? [] : await findFiles(placed, skipped, context)) {
      if (!excluded.some((each) => each !== undefined && matches(each, path)))
        ranks.set(path, rank);
    }
    if (ranks.size > limits.files)
      throw new Error(`the globs match more than ${limits.files} files; make them narrower`);
  }
  const found = [...ranks].sort(
    ([left, leftRank], [right, rightRank]) => leftRank - rightRank || (left < right ? -1 : 1),
  );
  const from = options["isAbsolute"] === true ? "" : start;
  return Promise.all(found.map(([path]) => describe(path, from)));
}

/** A glob below a folder that contains no pattern. */
interface PlacedGlob {
  /** Absolute, symlinks resolved. */
  folder: string;
  /** A glob without wildcards: the path of one file. */
  isPlain: boolean;
  isMatch: (path: string) => boolean;
}

/** Returns where a glob searches; `undefined` when its pack is not installed. */
async function placeGlob(
  glob: string,
  start: string,
  context: PathContext,
): Promise<PlacedGlob | undefined> {
  const special = /^(?:~|\$tmp)(?=\/)/.exec(glob)?.[0] ?? packPart(glob);
  const root = special ?? (isAbsolute(glob) ? "/" : "");
  const pattern = glob.slice(root.length).replace(/^(?:\.?\/)+/, "");
  const names = pattern.split("/");
  const wild = names.findIndex((name) => /[*?[\]{}\\]/.test(name));
  const isPlain = wild === -1;
  const fixed = isPlain ? names.length - 1 : wild;
  const above = root === "" ? start : await ifInstalled(resolveScriptPath(root, context));
  if (above === undefined) return undefined;
  // Resolved before the search, so that all results are in a readable folder.
  const folder = await readablePath(join(above, ...names.slice(0, fixed)), context);
  const isMatch = createGlobTest([names.slice(fixed).join("/")]);
  return { folder, isPlain, isMatch: (path) => isMatch(relative(folder, path)) };
}

function packPart(glob: string): string | undefined {
  if (readPackReference(glob) === undefined) return undefined;
  const slash = glob.indexOf("/");
  return slash === -1 ? glob : glob.slice(0, slash);
}

function matches(glob: PlacedGlob, path: string): boolean {
  return isInside(path, glob.folder) && glob.isMatch(path);
}

/** Finds the files of one glob. */
async function findFiles(
  glob: PlacedGlob,
  skipped: readonly string[],
  context: PathContext,
): Promise<string[]> {
  const paths: string[] = [];
  const pending = [glob.folder];
  let seen = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    context.signal.throwIfAborted();
    for (const entry of await readdir(next, { withFileTypes: true }).catch(() => [])) {
      seen += 1;
      const path = join(next, entry.name);
      if (entry.isDirectory()) {
        const isWanted = !glob.isPlain && !skipped.includes(`${entry.name}/`);
        if (isWanted && (await isReadable(path, context))) pending.push(path);
      } else if (entry.isFile() && !always.test(path) && glob.isMatch(path)) paths.push(path);
    }
    if (seen > limits.entries)
      throw new Error(`a glob looks through more than ${limits.entries} files; make it narrower`);
  }
  return paths;
}

/** Reports whether scripts may read a folder. The names in a hidden folder are hidden, too. */
async function isReadable(path: string, context: PathContext): Promise<boolean> {
  return await readablePath(path, context).then(
    () => true,
    () => false,
  );
}

async function describe(path: string, start: string): Promise<JsonObject> {
  const shown = start !== "" && isInside(path, start) ? relative(start, path) : path;
  // The file may have been deleted since it was listed.
  const status = await stat(path).catch(() => undefined);
  return fileInfo(shown, status);
}
