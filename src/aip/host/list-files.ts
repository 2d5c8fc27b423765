import { readdir, stat } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import { isRecord, type JsonObject, type JsonValue } from "../../source/json.ts";
import { createGlobTest } from "../glob.ts";
import { isInside } from "../../source/real-path.ts";
import type { LuaValue } from "../lua-value.ts";
import { kindOf, readPackReference } from "../resolve-aip.ts";
import { fileInfo } from "./file-info.ts";
import type { HostCall, HostContext } from "./host-call.ts";
import { readablePath, resolvePath } from "./resolve-path.ts";

/** Folders that are left out unless a glob names them. */
const heavy = [".aipack/", ".git/", "target/", "node_modules/", ".build/", "__pycache__/"] as const;
const always = /(?:^|\/)(?:\.DS_Store|Thumbs\.db|[^/]*\.swp)$/;
/** More is a mistake in a glob; the answer is kept in the journal. */
const limits = { files: 20_000, entries: 500_000 } as const;

/** Lists the files of globs: in the order of the globs, then of their paths. */
export const listCalls: Readonly<Record<string, HostCall>> = {
  "file.list": { isRecorded: true, run: listFiles },
};

async function listFiles(args: readonly LuaValue[], context: HostContext): Promise<JsonValue> {
  const globs = (args[0] as string[]).map((glob) => glob.trim()).filter((glob) => glob !== "");
  const options = isRecord(args[1]) ? args[1] : {};
  const base = typeof options["base"] === "string" ? options["base"] : "";
  const start = await readablePath(base === "" ? "." : base, context);
  const excluded = await Promise.all(
    globs
      .filter((glob) => glob.startsWith("!"))
      .map((glob) => absoluteGlob(glob.slice(1), start, context)),
  );
  const isExcluded = createGlobTest(excluded);
  const skipped = heavy.filter((folder) => !globs.some((glob) => glob.includes(folder)));
  const found = new Set<string>();
  for (const glob of globs.filter((each) => !each.startsWith("!"))) {
    const whole = await absoluteGlob(glob, start, context);
    for (const path of await findFiles(whole, skipped, context)) {
      if (!isExcluded(path)) found.add(path);
    }
    if (found.size > limits.files)
      throw new Error(`the globs match more than ${limits.files} files; make them narrower`);
  }
  const isAbsoluteWanted = options["isAbsolute"] === true;
  return Promise.all([...found].map((path) => describe(path, isAbsoluteWanted ? "" : start)));
}

async function absoluteGlob(glob: string, start: string, context: HostContext): Promise<string> {
  const isSpecial = /^(?:~\/|\$tmp\/)/.test(glob) || isAbsolute(glob);
  const isPack = readPackReference(glob) !== undefined;
  return isSpecial || isPack ? resolvePath(glob, context) : join(start, glob);
}

/** The files of one absolute glob, sorted. */
async function findFiles(
  glob: string,
  skipped: readonly string[],
  context: HostContext,
): Promise<string[]> {
  const folder = fixedPart(glob);
  if (folder === glob) return (await isReadableFile(glob, context)) ? [glob] : [];
  // The folder is resolved, so that what is found lies where it may be read.
  const root = await readablePath(folder, context);
  const isWanted = createGlobTest([root + glob.slice(folder.length)]);
  const paths: string[] = [];
  const pending = [root];
  let seen = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    context.signal.throwIfAborted();
    for (const entry of await readdir(next, { withFileTypes: true }).catch(() => [])) {
      seen += 1;
      const path = join(next, entry.name);
      if (entry.isDirectory()) {
        if (!skipped.includes(`${entry.name}/`)) pending.push(path);
      } else if (entry.isFile() && !always.test(path) && isWanted(path)) paths.push(path);
    }
    if (seen > limits.entries)
      throw new Error(`${glob} looks through more than ${limits.entries} files; make it narrower`);
  }
  return paths.sort();
}

/** The folders before the first wildcard. */
function fixedPart(glob: string): string {
  const names = glob.split("/");
  const wild = names.findIndex((name) => /[*?[\]{}\\]/.test(name));
  return wild === -1 ? glob : names.slice(0, wild).join("/") || "/";
}

async function isReadableFile(path: string, context: HostContext): Promise<boolean> {
  return (await kindOf(await readablePath(path, context))) === "file";
}

async function describe(path: string, start: string): Promise<JsonObject> {
  const shown = start !== "" && isInside(path, start) ? relative(start, path) : path;
  // It may be gone since it was listed.
  const status = await stat(path).catch(() => undefined);
  return fileInfo(shown, status);
}
