import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

/** Prints the folders of the compile cache of a process that enables it, and of a thread of the process. */
const program = `
  import { getCompileCacheDir } from "node:module";
  import { Worker } from "node:worker_threads";
  import { enableCompileCache, threadEnvironment } from "${join(import.meta.dirname, "compile-cache.ts")}";
  const code = 'const at = process.getBuiltinModule; at("worker_threads").parentPort.postMessage(at("module").getCompileCacheDir())';
  const open = () => new Worker(code, { eval: true, env: threadEnvironment() });
  const before = Object.keys(threadEnvironment());
  enableCompileCache({ home: process.env.HOME, environment: {} });
  open().on("message", (folder) => console.log(JSON.stringify([before, getCompileCacheDir(), folder])));`;

test("a thread without variables uses the compile cache of its process", () => {
  const home = mkdtempSync(join(tmpdir(), "cadre-compile-cache-"));
  const words = ["--input-type=module", "--eval", program];
  const printed = execFileSync(process.execPath, words, { env: { HOME: home }, encoding: "utf8" });
  const [before, folder, ofThread] = JSON.parse(printed) as [string[], string, string];
  expect(before).toEqual([]);
  expect(folder).toContain(join(home, ".cache", "cadre"));
  expect(ofThread).toBe(folder);
});
