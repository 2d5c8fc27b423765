import { mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import lockFile from "../package-lock.json" with { type: "json" };
import { bundle } from "../scripts/bundle.ts";
import { compileEarly } from "../scripts/compile-early.ts";
import { postgresUrl } from "./fixtures/postgres/test-schema.ts";
import { isLong } from "./is-long.ts";
import { temporaryRoot } from "./temporary-folder.ts";

const root = join(import.meta.dirname, "..");

/** The packages that users of PostgreSQL and workers install in addition to Cadre. */
const ofPostgres = /^node_modules\/(pg|pg-.*|pgpass|postgres-.*|split2|xtend|@dbos-inc\/.*)$/;

/** The folders of the packages that `npm install cadre` installs, except those inside another package. */
const installedPackages = Object.entries(lockFile.packages)
  .filter(
    ([path, entry]) =>
      (!("dev" in entry) && !("devOptional" in entry)) ||
      (postgresUrl !== undefined && ofPostgres.test(path)),
  )
  .map(([path]) => path)
  .filter((path) => path.lastIndexOf("node_modules") === 0);

/**
 * Builds the command in a folder like that of an installed package. Returns its path. Without the large size, starts compile each function
 * when they call it, as from the sources: finding the functions takes as long as the rest of the build.
 */
export async function buildCommand(): Promise<string> {
  const folder = mkdtempSync(join(temporaryRoot, "built-"));
  symlinkSync(join(root, "package.json"), join(folder, "package.json"));
  for (const path of installedPackages) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(join(root, path), join(folder, path));
  }
  const dist = join(folder, "dist");
  await bundle(dist);
  if (isLong) await compileEarly(dist);
  return join(dist, "cli", "main.js");
}
