import { mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestProject } from "vitest/node";
import lockFile from "../package-lock.json" with { type: "json" };
import { bundle } from "../scripts/bundle.ts";
import { postgresUrl } from "./fixtures/postgres/test-schema.ts";
import { temporaryFolder } from "./temporary-folder.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The path of the built command, as users get it. */
    command: string;
  }
}

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

let command: Promise<string> | undefined;

/** Builds the command once for all projects and provides its path to the tests. */
export async function setup({ provide }: TestProject): Promise<void> {
  command ??= buildCommand();
  provide("command", await command);
}

/** Builds the command in a folder like that of an installed package. Returns its path. */
async function buildCommand(): Promise<string> {
  const folder = mkdtempSync(join(temporaryFolder, "built-"));
  symlinkSync(join(root, "package.json"), join(folder, "package.json"));
  for (const path of installedPackages) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(join(root, path), join(folder, path));
  }
  await bundle(join(folder, "dist"));
  return join(folder, "dist", "cli", "main.js");
}
