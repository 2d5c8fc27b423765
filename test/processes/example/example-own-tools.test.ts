import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { sourceCache } from "../../fixtures/compile-cache.ts";
import { processEnvironment } from "../../fixtures/process-environment.ts";
import { temporaryFolder } from "../../fixtures/tool-call.ts";

const folder = join(import.meta.dirname, "../../../examples/05-own-tools");

test("the example of tools of a program prints what its README says, without a model", async () => {
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  const [, expected = ""] = /says:\n\n((?: {4}.*\n)+)/.exec(readme) ?? [];
  const env = { ...processEnvironment(temporaryFolder()), NODE_COMPILE_CACHE: sourceCache };
  const { stdout } = await promisify(execFile)(process.execPath, ["orders.ts"], {
    cwd: folder,
    env,
  });
  expect(stdout).toBe(expected.replaceAll(/^ {4}/gm, ""));
});
