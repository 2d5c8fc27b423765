import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diffOfEdit } from "./edit-diff.ts";

const folder = mkdtempSync(join(tmpdir(), "cadre-diff-"));
const path = join(folder, "a.txt");
writeFileSync(path, "one\ntwo\nthree\n");

function diff(tool: string, input: unknown, paths: readonly string[] = [path]) {
  const rest = { runId: "r", stepKey: "tool/1/0", title: "", subject: "", chain: [], reason: "" };
  return diffOfEdit({ ...rest, tool, input, paths });
}

test("an edit is shown as the change of its file", () => {
  const input = { file_path: "a.txt", old_string: "two", new_string: "$& 2" };
  expect(diff("Edit", input)).toEqual(["@@ line 1 -> 1 @@", " one", "-two", "+$& 2", " three"]);
});

test("an edit of every place changes each", () => {
  const input = { file_path: "a.txt", old_string: "t", new_string: "T", replace_all: true };
  expect(diff("Edit", input)).toEqual(expect.arrayContaining(["-two", "-three", "+Two", "+Three"]));
});

test("a write is shown as the change of a file, or as a new one", () => {
  expect(diff("Write", { content: "one\ntwo\n" })).toEqual([
    "@@ line 1 -> 1 @@",
    " one",
    " two",
    "-three",
  ]);
  const added = diff("Write", { content: "new\n" }, [join(folder, "b.txt")]);
  expect(added).toEqual(["@@ line 1 -> 1 @@", "+new"]);
});

test.each([
  ["another tool", "Bash", { command: "ls" }, [path]],
  ["a text that the file does not have", "Edit", { old_string: "x", new_string: "y" }, [path]],
  ["a folder", "Write", { content: "x" }, [folder]],
  ["several files", "Write", { content: "x" }, [path, path]],
  ["arguments of the wrong types", "Edit", { old_string: 1 }, [path]],
  ["no arguments", "Write", null, [path]],
])("there is no diff for %s", (_, tool, input, paths) => {
  expect(diff(tool, input, paths)).toBeUndefined();
});

test("a file that is larger than 1 MiB is not compared", () => {
  const large = join(folder, "large.txt");
  writeFileSync(large, "x\n".repeat(600_000));
  expect(diff("Write", { content: "y" }, [large])).toBeUndefined();
});
