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

async function installFromGit(checkout: string): Promise<void> {
  await expectCommand(await installProject(`git+file://${checkout}`), "npx", "cadre");
}

test("npm installs the package from git, and links a new checkout, for a project and globally", async () => {
  const checkout = await copyCheckout();
  // At the same time, because both mostly wait for the disk and the network. npm clones the committed files.
  await Promise.all([link(checkout), installFromGit(checkout)]);
}, 600_000);
