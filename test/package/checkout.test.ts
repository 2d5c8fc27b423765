import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyCheckout, installProject, execute } from "./installed-package.ts";

async function expectCommand(folder: string, ...command: [string, ...string[]]): Promise<void> {
  expect(await execute(folder, ...command, "--version")).toMatch(/^\d+\.\d+\.\d+\n$/);
}

/** Links a checkout whose dependencies are not installed, globally and then for a project. */
async function link(checkout: string): Promise<void> {
  await execute(checkout, "npm", "install", "--global", "--prefix", join(checkout, "global"), ".");
  await expectCommand(checkout, "global/bin/cadre");
  await expectCommand(await installProject(checkout), "npx", "cadre");
}

/** Packs a repository and installs the file globally, as the error of npm's own way says. */
async function packFromGit(checkout: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "from-git-"));
  const globally = ["install", "--global", "--prefix", folder];
  // The script that executes these tests may have silenced npm.
  const direct = [...globally, "--loglevel", "error", `git+file://${checkout}`];
  await expect(execute(folder, "npm", ...direct)).rejects.toThrow(
    "npm pack git+URL && npm install -g ./cadre-0.1.0.tgz",
  );
  await execute(folder, "npm", "pack", `git+file://${checkout}`);
  await execute(folder, "npm", ...globally, "./cadre-0.1.0.tgz");
  await expectCommand(folder, "bin/cadre");
}

test("npm packs a repository for a global installation, and links a new checkout, for a project and globally", async () => {
  const checkout = await copyCheckout();
  // At the same time, because both mostly wait for the disk and the network. npm clones the committed files.
  await Promise.all([link(checkout), packFromGit(checkout)]);
}, 600_000);
