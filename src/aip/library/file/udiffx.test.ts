import { expect, test } from "vitest";
import type { LuaValue } from "../../lua/lua-value.ts";
import type { AskHost } from "../arguments.ts";
import { callModule } from "../../worker/modules.ts";

const fence = "```";

/** Applies directives to files in memory. Returns the status and the remaining text. */
function apply(
  files: Map<string, string>,
  directives: readonly string[],
  base?: string,
): { items: LuaValue; status: Record<string, LuaValue>; rest: LuaValue } {
  const ask: AskHost = (name, path, second, third) => {
    const [key, value] = [path as string, second as string];
    if (name === "path.kind") return files.has(key) ? "file" : null;
    if (name === "file.hash") return "the same";
    if (name === "file.load") return { content: files.get(key) ?? "" };
    if (name === "file.delete") return files.delete(key);
    if (name === "file.write")
      files.set(key, third === "append" ? (files.get(key) ?? "") + value : value);
    else files.set(value, files.get(key) ?? "");
    if (name === "file.move") files.delete(key);
    return null;
  };
  const content = ["Before <FILE_CHANGES>", ...directives, "</FILE_CHANGES> after"].join("\n");
  const answer = callModule(
    "udiffx.apply_file_changes",
    [content, base, { extrude: "content" }],
    ask,
  ) as { several: [Record<string, LuaValue>, LuaValue] };
  const [status, rest] = answer.several;
  return { status, rest, items: status["items"] };
}

test("directives create, patch, extend, move, copy and delete files, with or without a code block", () => {
  const files = new Map([
    ["a.txt", "one\ntwo\n\nthree\n"],
    ["old.txt", "old\n"],
    ["gone.txt", "gone\n"],
  ]);
  const { status, rest } = apply(files, [
    `<FILE_NEW file_path="n.txt">\n${fence}txt\nnew\n${fence}\n</FILE_NEW>`,
    `<FILE_PATCH file_path="a.txt">\n${fence}\n@@\n one\n-two\n+TWO\n\n three\n@@\n+four\n${fence}\n</FILE_PATCH>`,
    `<FILE_PATCH file_path="fresh.txt">\n@@\n+fresh\n</FILE_PATCH>`,
    `<FILE_APPEND file_path="n.txt">\nmore\n</FILE_APPEND>`,
    '<FILE_COPY from_path="n.txt" to_path="c.txt" />',
    '<FILE_RENAME from_path="n.txt" to_path="old.txt" />',
    '<FILE_DELETE file_path="gone.txt" />',
  ]);
  expect(rest).toBe("Before  after");
  expect(status).toMatchObject({ success: true, total_count: 7, success_count: 7, fail_count: 0 });
  expect(status["items"]).toMatchObject(
    ["New", "Patch", "Patch", "Append", "Copy", "Rename", "Delete"].map((kind) => ({ kind })),
  );
  expect(Object.fromEntries(files)).toEqual({
    "a.txt": "one\nTWO\n\nthree\nfour\n",
    "fresh.txt": "fresh\n",
    "c.txt": "new\nmore\n",
    "old.txt": "new\nmore\n",
  });
});

test("failures are reported with their reasons, and the rest is applied", () => {
  const files = new Map([["src/a.txt", "one\ntwo\n"]]);
  const { items, status } = apply(
    files,
    [
      `<FILE_PATCH file_path="a.txt">\n@@\n-gone\n+x\n@@\n-two\n+TWO\n</FILE_PATCH>`,
      `<FILE_PATCH file_path="a.txt">\n@@\n one\n</FILE_PATCH>`,
      `<FILE_NEW file_path="a.txt">\none\nTWO\n</FILE_NEW>`,
      `<FILE_NEW file_path="../b.txt">\nx\n</FILE_NEW>`,
      '<FILE_DELETE file_path="none.txt" />',
      '<FILE_RENAME to_path="b.txt" />',
      "<FILE_NEW>x</FILE_NEW>",
    ],
    "src/",
  );
  expect(files).toEqual(new Map([["src/a.txt", "one\nTWO\n"]]));
  expect(status).toMatchObject({ success: false, success_count: 0, fail_count: 7 });
  expect(items).toMatchObject([
    {
      file_path: "a.txt",
      kind: "Patch",
      success: false,
      error_msg: "1 of 2 hunks could not be applied.",
      error_hunks: [{ hunk_body: "@@\n-gone\n+x", cause: expect.any(String) }],
      total_count: 2,
    },
    { error_msg: expect.stringContaining("no hunks") },
    { kind: "New", error_msg: "It changes nothing." },
    { error_msg: expect.stringContaining("leads out of the folder") },
    { kind: "Delete", error_msg: "The file does not exist." },
    { kind: "Fail", file_path: "b.txt", error_msg: expect.stringContaining("from_path") },
    { kind: "Fail", file_path: "unknown", error_msg: expect.stringContaining("file_path") },
  ]);
});

test("the library has instructions for models", () => {
  expect(callModule("udiffx.file_changes_instruction", [], () => null)).toContain("<FILE_PATCH");
});
