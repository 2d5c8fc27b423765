import { execFileSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import { createFolder, findObstacle } from "./create-folder.ts";

test("a folder is created with those above it, and one that exists stays as it is", () => {
  const folder = temporaryFolder();
  const path = join(folder, "a/b");
  createFolder(path, 0o700);
  createFolder(path, 0o777);
  for (const one of [path, join(folder, "a")]) expect(statSync(one).mode & 0o777).toBe(0o700);
});

test("a file in the way is an error, and is named", () => {
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, "");
  expect(() => createFolder(file, 0o700)).toThrow("EEXIST");
  expect(() => createFolder(join(file, "a"), 0o700)).toThrow(/EEXIST|ENOTDIR/);
  expect(findObstacle(join(file, "a/b"))).toBe(file);
  expect(findObstacle(join(file, "../missing/b"))).toBeUndefined();
});

test.runIf(process.platform === "linux")("a folder in /proc is an error, not a loop", () => {
  const module = new URL("create-folder.ts", import.meta.url).href;
  const program = `
    import { createFolder } from ${JSON.stringify(module)};
    try { createFolder("/proc/missing/folder", 0o700) } catch (error) { console.log(error.code) }`;
  // A loop would end with the limit of CPU time.
  const words = ["-c", 'ulimit -t 20; exec "$@"', "sh", process.execPath];
  const output = execFileSync("sh", [...words, "--input-type=module", "-e", program]);
  expect(String(output)).toBe("ENOENT\n");
});
