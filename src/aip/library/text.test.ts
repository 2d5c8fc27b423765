import { expect, test } from "vitest";
import { callLibrary } from "../../../test/fixtures/aip/call-library.ts";
import type { LuaValue } from "../lua-value.ts";

test.each<[string, LuaValue[], LuaValue | LuaValue[]]>([
  ["text.trim", [" \n x "], "x"],
  ["text.trim_start", [" x "], "x "],
  ["text.trim_end", [" x "], " x"],
  ["text.trim", [undefined], undefined],
  ["text.split_first", ["a==b==c", "=="], ["a", "b==c"]],
  ["text.split_last", ["a==b==c", "=="], ["a==b", "c"]],
  ["text.split_first", ["a", "=="], ["a", undefined]],
  ["text.split_first", ["a==", "=="], ["a", ""]],
  ["text.split_first", [undefined, "=="], [undefined, undefined]],
  ["text.split_first_line", ["one\n---\ntwo\n---\n3", "---"], ["one", "two\n---\n3"]],
  ["text.split_last_line", ["one\n---\ntwo\n---\n3", "---"], ["one\n---\ntwo", "3"]],
  ["text.split_first_line", ["START\nx", "START"], ["", "x"]],
  ["text.split_first_line", ["a\n\nb\n", ""], ["a", "b\n"]],
  ["text.split_last_line", ["a\n", ""], ["a\n", undefined]],
  ["text.remove_first_line", ["a\nb\nc"], "b\nc"],
  ["text.remove_first_lines", ["a\nb\nc", 2], "c"],
  ["text.remove_last_line", ["a\nb\nc"], "a\nb"],
  ["text.remove_last_lines", ["a\nb\nc", 9], ""],
  ["text.truncate", ["äöü", 2, "…"], "ä…"],
  ["text.truncate", ["äöü", 2], "äö"],
  ["text.truncate", ["abcdef", 2, "..."], ".."],
  ["text.truncate", ["ab", 2, "…"], "ab"],
  ["text.escape_decode", ["&lt;a&gt; &amp;"], "<a> &"],
  ["text.escape_decode_if_needed", ["&amp;"], "&amp;"],
  ["text.ensure", ["x", { prefix: "./", suffix: ".md" }], "./x.md"],
  ["text.ensure", ["./x.md", { prefix: "./", suffix: ".md" }], "./x.md"],
  ["text.ensure_single_trailing_newline", ["x\n\n"], "x\n"],
  ["text.ensure_single_ending_newline", [""], "\n"],
  ["text.format_size", [777], "   777 B "],
  ["text.format_size", [8777], "  8.78 KB"],
  ["text.format_size", [5_242_880], "  5.24 MB"],
  ["text.format_size", [1000, "MB"], "  0.00 MB"],
  ["text.format_size", [8777, { trim: true }], "8.78 KB"],
  ["text.format_size", [777.6, { lowest_unit: "KB", trim: true }], "0.78 KB"],
  ["text.format_size", [-1], "     0 B "],
  ["text.replace_markers", ["a\n<<START>>\nx\n<<END>>\nb", [{ content: "new" }]], "a\nnew\nb"],
  [
    "text.extract_line_blocks",
    ["> 1\n> 2\nx\n> 3", { starts_with: ">", extrude: "content" }],
    [["> 1\n> 2\n", "> 3\n"], "x\n"],
  ],
  [
    "text.extract_line_blocks",
    ["> 1\nx\n> 3", { starts_with: ">", first: 1, extrude: "content" }],
    [["> 1\n"], "x\n> 3\n"],
  ],
])("aip.%s(%j)", (name, values, expected) => {
  expect(callLibrary(name, ...values)).toEqual(expected);
});
