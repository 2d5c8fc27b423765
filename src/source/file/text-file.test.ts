import { execFileSync } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { maxTextFileBytes, readTextFile } from "./text-file.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cadre-text-"));
});

async function write(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

test("a byte-order mark is removed and all line ends become one", async () => {
  const path = await write("crlf.md", "\u{FEFF}one\r\ntwo\rthree\n");
  expect(await readTextFile(path)).toEqual({ text: "one\ntwo\nthree\n", diagnostics: [] });
});

test("bytes that are not UTF-8 are replaced, with the place of the first", async () => {
  const path = await write("latin1.md", Buffer.from("ok\ncaf\xe9", "latin1"));
  const { text, diagnostics } = await readTextFile(path);
  expect(text).toBe("ok\ncaf\u{FFFD}");
  expect(diagnostics).toMatchObject([
    { severity: "warning", code: "encoding", line: 2, column: 4 },
  ]);
});

test("UTF-16 is refused by name", async () => {
  const path = await write("utf16.md", Buffer.from("\u{FEFF}hello", "utf16le"));
  const { text, diagnostics } = await readTextFile(path);
  expect(text).toBeNull();
  expect(diagnostics[0]?.message).toContain("UTF-16");
});

test("a file over the limit is refused and one at the limit is read", async () => {
  const large = await write("large.md", "x".repeat(maxTextFileBytes + 1));
  const fits = await write("fits.md", "x".repeat(maxTextFileBytes));
  expect((await readTextFile(large)).diagnostics).toMatchObject([{ code: "file-too-large" }]);
  expect((await readTextFile(fits)).text).toHaveLength(maxTextFileBytes);
});

test("a pipe is refused instead of waited for", async () => {
  const path = join(folder, "pipe.md");
  execFileSync("mkfifo", [path]);
  expect((await readTextFile(path)).diagnostics).toMatchObject([{ code: "not-a-file" }]);
});

test("a missing file and a folder are diagnostics", async () => {
  const missing = await readTextFile(join(folder, "missing.md"));
  expect(missing).toMatchObject({ text: null, diagnostics: [{ code: "not-found" }] });
  expect(await readTextFile(folder)).toMatchObject({
    text: null,
    diagnostics: [{ code: "not-a-file" }],
  });
});
