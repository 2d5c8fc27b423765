import { mkdtempSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { bundle } from "../scripts/bundle.ts";
import { temporaryFolder } from "./temporary-folder.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The path of the command, built as users get it. */
    command: string;
  }
}

const root = join(import.meta.dirname, "..");

/** Builds the command once for all tests, in a folder like that of an installed package. */
export async function setup({ provide }: TestProject): Promise<void> {
  const folder = mkdtempSync(join(temporaryFolder, "built-"));
  for (const name of ["package.json", "node_modules"]) {
    symlinkSync(join(root, name), join(folder, name));
  }
  await bundle(join(folder, "dist"));
  provide("command", join(folder, "dist", "cli", "main.js"));
}
