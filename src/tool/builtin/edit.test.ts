import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  createToolFixture,
  temporaryFolder,
  type ToolFixture,
} from "../../../test/fixtures/tool-call.ts";
import { writeAtomically } from "../control-file/atomic-write.ts";
import { createEditTool } from "./edit.ts";
import { createReadTool } from "./read.ts";
import { sha256 } from "../path/regular-file.ts";
import { createWriteTool } from "./write.ts";

const [read, edit, write] = [createReadTool(), createEditTool(), createWriteTool()];

async function createFixture(content: string | Buffer): Promise<ToolFixture & { file: string }> {
  const made = createToolFixture();
  const file = join(made.workspace, "a.txt");
  writeFileSync(file, content);
  await made.call(read, { file_path: "a.txt" });
  return { ...made, file };
}

const change = (old_string: string, new_string: string, replace_all = false): object => ({
  file_path: "a.txt",
  old_string,
  new_string,
  replace_all,
});

test("replaces text literally and shows what changed", async () => {
  const at = await createFixture("one\ntwo\nthree\n");
  const outcome = await at.call(edit, change("two", "$& $1 \\n"));
  expect(readFileSync(at.file, "utf8")).toBe("one\n$& $1 \\n\nthree\n");
  expect(outcome.text).toBe("Edited a.txt.\n@@ line 2 @@\n one\n-two\n+$& $1 \\n\n three");
  expect(outcome.files).toEqual([
    { path: at.file, hash: sha256(readFileSync(at.file)), change: "written" },
  ]);
});

test("edits a file twice without reading it again in between", async () => {
  const at = await createFixture("one\n");
  await at.call(edit, change("one", "two"));
  expect((await at.call(edit, change("two", "three"))).isError).toBeUndefined();
  expect(readFileSync(at.file, "utf8")).toBe("three\n");
});

test("refuses text that the file does not contain and shows the nearest lines", async () => {
  const at = await createFixture("function  add(a, b) {\n  return a + b;\n}\n");
  const { text, isError } = await at.call(edit, change("function add(a, b) {", "x"));
  expect(isError).toBe(true);
  expect(text).toContain("     1\tfunction  add(a, b) {");
});

test("explains that line numbers are not part of the text", async () => {
  const at = await createFixture("one\n");
  expect((await at.call(edit, change("     1\tone", "x"))).text).toContain(
    "Leave out the line numbers",
  );
});

test("refuses text that occurs more than once and lists the lines", async () => {
  const at = await createFixture("x\ny\nx\nx\n");
  const { text } = await at.call(edit, change("x", "z"));
  expect(text).toContain("3 times in a.txt, in lines 1, 3, 4");
  expect(readFileSync(at.file, "utf8")).toBe("x\ny\nx\nx\n");
});

test("replaces every occurrence with replace_all", async () => {
  const at = await createFixture("x\ny\nx\nx\nx\n");
  const { text } = await at.call(edit, change("x", "xx", true));
  expect(readFileSync(at.file, "utf8")).toBe("xx\ny\nxx\nxx\nxx\n");
  expect(text).toContain("in 4 places");
  expect(text).toContain("[and 1 more]");
});

test("keeps Windows line endings, the byte order mark and bytes that are not UTF-8", async () => {
  const bytes = Buffer.concat([
    Buffer.from("\uFEFFone\r\ntwo\r\n"),
    Buffer.from([0xff, 0xfe]),
    Buffer.from("\r\nend\n"),
  ]);
  const at = await createFixture(bytes);
  await at.call(edit, change("one\ntwo", "1\n2\n3"));
  const wanted = Buffer.concat([
    Buffer.from("\uFEFF1\r\n2\r\n3\r\n"),
    Buffer.from([0xff, 0xfe]),
    Buffer.from("\r\nend\n"),
  ]);
  expect(readFileSync(at.file).equals(wanted)).toBe(true);
});

test("refuses a file that was not read or has changed since", async () => {
  const at = await createFixture("one\n");
  writeFileSync(join(at.workspace, "b.txt"), "one");
  expect((await at.call(edit, { ...change("one", "x"), file_path: "b.txt" })).text).toContain(
    "was not read",
  );
  writeFileSync(at.file, "one\nmore\n");
  expect((await at.call(edit, change("one", "x"))).text).toContain("changed since it was read");
  expect((await at.call(write, { file_path: "a.txt", content: "x" })).text).toContain(
    "changed since it was read",
  );
  expect(readFileSync(at.file, "utf8")).toBe("one\nmore\n");
});

test("creates a file with its folders", async () => {
  const at = createToolFixture();
  const { text } = await at.call(write, { file_path: "a/b/c.txt", content: "hé" });
  expect(text).toBe("Created a/b/c.txt (3 bytes).");
  expect(readFileSync(join(at.workspace, "a/b/c.txt"), "utf8")).toBe("hé");
  expect((await at.call(write, { file_path: "a/b/c.txt", content: "again" })).text).toContain(
    "Overwrote",
  );
});

test("overwrites only a file that was read, keeps its mode and leaves no temporary file", async () => {
  const at = await createFixture("one\n");
  chmodSync(at.file, 0o750);
  writeFileSync(join(at.workspace, "b.txt"), "unseen");
  expect((await at.call(write, { file_path: "b.txt", content: "x" })).text).toContain(
    "was not read",
  );
  await at.call(write, { file_path: "a.txt", content: "new" });
  expect(statSync(at.file).mode & 0o777).toBe(0o750);
  expect(readdirSync(at.workspace)).toEqual(["a.txt", "b.txt"]);
});

test("refuses to write to pipes, folders and outside the workspace", async () => {
  const at = createToolFixture();
  const outside = temporaryFolder();
  execFileSync("mkfifo", [join(at.workspace, "pipe")]);
  mkdirSync(join(at.workspace, "folder"));
  symlinkSync(join(outside, "new.txt"), join(at.workspace, "link"));
  for (const file_path of ["pipe", "folder", "link", "../x.txt", "folder/../../x"]) {
    expect((await at.call(write, { file_path, content: "x" })).isError).toBe(true);
  }
  expect(readdirSync(outside)).toEqual([]);
});

test("does not follow a symlink created after permission was given", async () => {
  const at = createToolFixture();
  mkdirSync(join(at.workspace, ".cadre/agents"), { recursive: true });
  const call = write.prepare(
    { file_path: "notes/evil.md", content: "x" },
    { workspace: at.workspace },
  );
  symlinkSync(".cadre/agents", join(at.workspace, "notes"));
  if ("problem" in call) throw new Error(call.problem);
  await expect(call.execute(at.context)).rejects.toThrow("when permission was given");
  expect(readdirSync(join(at.workspace, ".cadre/agents"))).toEqual([]);
});

test("does not write into a folder that became a symlink after the check", async () => {
  const [inside, outside] = [temporaryFolder(), temporaryFolder()];
  mkdirSync(join(inside, "folder"));
  renameSync(join(inside, "folder"), join(inside, "away"));
  symlinkSync(outside, join(inside, "folder"));
  await expect(writeAtomically(join(inside, "folder/x"), "x")).rejects.toThrow();
  mkdirSync(join(inside, "away/deep"));
  mkdirSync(join(outside, "deep"));
  await expect(writeAtomically(join(inside, "folder/deep/x"), "x")).rejects.toThrow(
    "replaced by a symlink",
  );
  expect(readdirSync(outside)).toEqual(["deep"]);
  expect(readdirSync(join(outside, "deep"))).toEqual([]);
});
