import { mkdir, mkdtemp, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "./load-config.ts";

async function writeMode(folder: string, mode: string): Promise<void> {
  await mkdir(join(folder, ".cadre"), { recursive: true });
  await writeFile(join(folder, ".cadre", "config.yaml"), `permissions: { mode: ${mode} }`);
}

test.each([
  ["deny", "plan"],
  ["accept-edits", "read-only"],
  ["ask", "read-only"],
  ["read-only", "auto"],
  ["read-only", "accept-edits"],
])("an untrusted project cannot turn the mode %s into %s", async (before, wanted) => {
  const home = await realpath(await mkdtemp(join(tmpdir(), "cadre-config-")));
  const cwd = join(home, "project");
  await mkdir(join(cwd, ".git"), { recursive: true });
  await writeMode(home, before);
  await writeMode(cwd, wanted);
  const request = { cwd, home, environment: {}, flags: {}, isTrusted: () => false };
  const { config, diagnostics } = await loadConfig(request);
  expect(config.permissions.mode).toBe(before);
  expect(diagnostics).toMatchObject([{ severity: "warning", code: "not-trusted" }]);
});
