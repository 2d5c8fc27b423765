import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import { readMemoryIndex } from "./memory-index.ts";

test("the first 200 lines and 25 KiB of the index are read", async () => {
  const folder = temporaryFolder();
  expect(await readMemoryIndex({ folder })).toEqual({ text: "" });
  writeFileSync(join(folder, "MEMORY.md"), "a\nb\n");
  expect(await readMemoryIndex({ folder })).toEqual({ text: "a\nb" });
  writeFileSync(join(folder, "MEMORY.md"), "line\n".repeat(300));
  const long = await readMemoryIndex({ folder });
  expect(long.text.split("\n")).toHaveLength(200);
  expect(long.problem).toMatch(
    /MEMORY\.md \(300 lines, 1500 bytes\) was cut to its first 200 lines/,
  );
  writeFileSync(join(folder, "MEMORY.md"), `${"x".repeat(999)}\n`.repeat(100));
  expect((await readMemoryIndex({ folder })).text.split("\n")).toHaveLength(25);
});

test("an index that leads out of the memory is refused", async () => {
  const folder = temporaryFolder();
  const other = join(temporaryFolder(), "secret");
  writeFileSync(other, "secret");
  symlinkSync(other, join(folder, "MEMORY.md"));
  expect(await readMemoryIndex({ folder })).toEqual({
    text: "",
    problem: expect.stringContaining("is outside the workspace"),
  });
});
