import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { createToolFixture, type ToolFixture } from "../../../test/fixtures/tool-call.ts";
import { createEditTool } from "../builtin/edit.ts";
import { createReadTool } from "../builtin/read.ts";
import { createWriteTool } from "../builtin/write.ts";
import { sha256 } from "../path/regular-file.ts";

function placeWith(content: string): { fixture: ToolFixture; path: string } {
  const fixture = createToolFixture();
  mkdirSync(join(fixture.workspace, "src"));
  const path = join(fixture.workspace, "src", "a.txt");
  writeFileSync(path, content);
  return { fixture, path };
}

test("unsaved text is read instead of the text on disk, and the file cannot be changed until it is saved", async () => {
  const { fixture, path } = placeWith("saved\n");
  const readOpen = vi.fn(async () => "unsaved\n");
  const [read, edit] = [createReadTool({ readOpen }), createEditTool({ readOpen })];
  const outcome = await fixture.call(read, { file_path: "src/a.txt" });
  expect(outcome.text).toContain("     1\tunsaved\n\n[This is the text in the editor");
  expect(outcome.files).toEqual([{ path, hash: sha256("unsaved\n"), change: "read" }]);
  const change = { file_path: "src/a.txt", old_string: "unsaved", new_string: "mine" };
  expect((await fixture.call(edit, change)).text).toContain("has unsaved changes in the editor");
  const write = createWriteTool({ readOpen });
  const whole = await fixture.call(write, { file_path: "src/a.txt", content: "mine" });
  expect(whole.text).toContain("Ask the user to save it");
  expect(readFileSync(path, "utf8")).toBe("saved\n");
  // The user saves, and what was read is what is on disk.
  writeFileSync(path, "unsaved\n");
  expect((await fixture.call(edit, change)).isError).toBeUndefined();
  expect(readFileSync(path, "utf8")).toBe("mine\n");
});

test.each([
  ["with other ends of lines", "one\r\ntwo\r\n", "one\ntwo\n"],
  ["without its byte-order mark", "\uFEFFone\n", "one\n"],
  ["that is not open", "one\n", undefined],
])("a text %s counts as saved", async (_, content, open) => {
  const { fixture, path } = placeWith(content);
  const read = createReadTool({ readOpen: async () => open });
  const { text, files } = await fixture.call(read, { file_path: "src/a.txt" });
  expect(text).not.toContain("editor");
  expect(files).toEqual([{ path, hash: sha256(content), change: "read" }]);
});

test("files outside the workspace, and files that are not text, are not requested", async () => {
  const { fixture, path } = placeWith("");
  writeFileSync(path, Buffer.from([0x61, 0xff, 0x62]));
  mkdirSync(fixture.outputFolder, { recursive: true });
  writeFileSync(join(fixture.outputFolder, "long.txt"), "one\n");
  const readOpen = vi.fn(async () => "other");
  const read = createReadTool({ readOpen });
  expect((await fixture.call(read, { file_path: "src/a.txt" })).text).toContain("a\uFFFDb");
  const output = join(fixture.outputFolder, "long.txt");
  expect((await fixture.call(read, { file_path: output })).text).toContain("one");
  expect(readOpen).not.toHaveBeenCalled();
});

test("a folder that is replaced by a symlink in the meantime reveals nothing", async () => {
  const { fixture, path } = placeWith("mine\n");
  const secrets = join(fixture.workspace, "..", "secrets");
  mkdirSync(secrets);
  writeFileSync(join(secrets, "a.txt"), "secret\n");
  const folder = join(fixture.workspace, "src");
  // Another process swaps the folder, the editor reads, and the folder is put back.
  const readOpen = vi.fn(async () => {
    renameSync(folder, `${folder}.away`);
    symlinkSync(secrets, folder);
    const text = readFileSync(path, "utf8");
    rmSync(folder);
    renameSync(`${folder}.away`, folder);
    return text;
  });
  const read = createReadTool({ readOpen });
  const { text, isError } = await fixture.call(read, { file_path: "src/a.txt" });
  expect(readOpen).toHaveBeenCalled();
  expect([isError, text]).toEqual([true, expect.stringContaining("kept changing")]);
});
