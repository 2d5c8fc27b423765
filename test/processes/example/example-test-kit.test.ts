import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { sourceCache } from "../../fixtures/compile-cache.ts";
import { processEnvironment } from "../../fixtures/process-environment.ts";
import { temporaryFolder } from "../../fixtures/tool-call.ts";

const root = join(import.meta.dirname, "../../..");

test("the example of the test kit passes, without a model", async () => {
  const words = ["run", "--root", ".", "--testTimeout", "100000", "--reporter", "dot"];
  // In CI, vitest refuses to write snapshots.
  const own = { NODE_COMPILE_CACHE: sourceCache, CI: "true" };
  const env = { ...processEnvironment(temporaryFolder()), ...own };
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const options = { cwd: join(root, "examples/10-test-kit"), env };
  const { stdout } = await promisify(execFile)(process.execPath, [vitest, ...words], options);
  expect(stripVTControlCharacters(stdout)).toMatch(/Tests +5 passed \(5\)/);
});
