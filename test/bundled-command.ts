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

/** The packages that users of PostgreSQL and of workers install beside Cadre. */
const ofPostgres = /^node_modules\/(pg|pg-.*|pgpass|postgres-.*|split2|xtend|@dbos-inc\/.*)$/;

/** The folders of the packages that `npm install cadre` brings, besides those inside another one. */
const installedPackages = Object.entries(lockFile.packages)
  .filter(
    ([path, entry]) =>
      (!("dev" in entry) && !("devOptional" in entry)) ||
      (postgresUrl !== undefined && ofPostgres.test(path)),
  )
  .map(([path]) => path)
  .filter((path) => path.lastIndexOf("node_modules") === 0);

let command: Promise<string> | undefined;

/** Gives the tests the built command. It is built once for all projects. */
export async function setup({ provide }: TestProject): Promise<void> {
  command ??= buildCommand();
  provide("command", await command);
}

/** Builds the command in a folder like that of an installed package; returns its path. */
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
