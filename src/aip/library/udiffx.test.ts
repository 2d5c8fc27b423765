import { expect, test } from "vitest";
import type { AskHost } from "./arguments.ts";
import { callModule } from "./modules.ts";

const fence = "```";

test("patches find their place by lines, and those that do not are told", () => {
  const files = new Map([["a.txt", "one\ntwo\n\nthree\n"]]);
  const ask: AskHost = (name, path, second, third) => {
    if (name === "file.load") return { content: files.get(path as string) ?? "" };
    if (name === "file.delete") return files.delete(path as string);
    if (name === "file.move") files.set(second as string, files.get(path as string) ?? "");
    if (name === "file.write")
      files.set(
        path as string,
        third === "append"
          ? (files.get(path as string) ?? "") + (second as string)
          : (second as string),
      );
    return null;
  };
  const changes = [
    "Before <FILE_CHANGES>",
    `<FILE_NEW file_path="n.txt">\n${fence}txt\nnew\n${fence}\n</FILE_NEW>`,
    `<FILE_PATCH file_path="a.txt">\n${fence}\n@@\n one\n-two\n+TWO\n\n three\n@@\n+four\n${fence}\n</FILE_PATCH>`,
    `<FILE_PATCH file_path="a.txt">\n@@\n-not there\n+x\n</FILE_PATCH>`,
    '<FILE_RENAME from_path="n.txt" to_path="m.txt" />',
    '<FILE_DELETE file_path="gone.txt" />',
    "</FILE_CHANGES> after",
  ].join("\n");
  const result = callModule(
    "udiffx.apply_file_changes",
    [changes, undefined, { extrude: "content" }],
    ask,
  );
  expect(result).toEqual({
    several: [
      expect.objectContaining({ success: false, total_count: 5, success_count: 3, fail_count: 2 }),
      "Before  after",
    ],
  });
  expect(JSON.stringify(result)).toContain('"hunk_body":"@@\\n-not there\\n+x"');
  expect(Object.fromEntries(files)).toMatchObject({
    "a.txt": "one\nTWO\n\nthree\nfour\n",
    "m.txt": "new\n",
  });
  expect(callModule("udiffx.file_changes_instruction", [], ask)).toContain("<FILE_PATCH");
});
