import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify, stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { sourceCache } from "../../fixtures/compile-cache.ts";
import { processEnvironment } from "../../fixtures/process-environment.ts";
import { temporaryFolder } from "../../fixtures/tool-call.ts";

const root = join(import.meta.dirname, "../../..");
const page = readFileSync(join(root, "docs/testing.md"), "utf8");
const blocks = Array.from(page.matchAll(/^```ts\n(.*?)^```$/gms), ([, code = ""]) => code);

test("docs/testing.md shows tests that pass", async () => {
  const [first = "", , clock = ""] = blocks;
  const kit = pathToFileURL(join(root, "src/testing")).pathname;
  const code = `${first}\nimport { createFakeClock, faults } from "cadre/testing";\ntest("clock", async () => {\n${clock}});\n`;
  const program = code
    .replaceAll('"cadre/testing"', `"${kit}.ts"`)
    .replace('"cadre/testing/vitest"', `"${kit}/vitest.ts"`)
    .replace('"vitest"', `"${import.meta.resolve("vitest")}"`);
  const folder = temporaryFolder();
  writeFileSync(join(folder, "page.test.ts"), program);
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  // Node strips the types, because vitest would transform all sources of the kit.
  const native = ["--experimental.viteModuleRunner=false", "--experimental.nodeLoader=false"];
  const words = [vitest, "run", "--root", folder, "--testTimeout", "100000", ...native];
  const env = { ...processEnvironment(temporaryFolder()), NODE_COMPILE_CACHE: sourceCache };
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root, env });
  expect(stripVTControlCharacters(stdout)).toMatch(/Tests +2 passed \(2\)/);
});

test("docs/testing.md names every matcher and every fault", async () => {
  const { cadreMatchers, faults } = await import("../../../src/testing.ts");
  for (const name of [...Object.keys(cadreMatchers), ...Object.keys(faults)]) {
    expect(page).toContain(`${name}(`);
  }
});
