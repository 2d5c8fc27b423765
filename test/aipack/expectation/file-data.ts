import { expect } from "vitest";
import { type Expectation, fails, gives, expectScript } from "../expectation.ts";

const lines = (path: string, code: string): string =>
  `${code} return aip.file.load("${path}").content`;

/** The functions of `aip.file` for JSON and tables. */
export const fileData: Expectation[] = [
  gives("file.load_json", ["other/data.json"], {
    name: "Test JSON",
    version: 1.2,
    enabled: true,
    items: ["item1", "item2"],
    nested: { key: "value" },
    nullable: null,
  }),
  fails("file.load_json", ["other/non_existent_file.json"]),
  fails("file.load_json", ["file-01.txt"]),
  gives(
    "file.load_ndjson",
    ["other/data.ndjson"],
    [
      { name: "item1", value: 10 },
      { name: "item2", value: 20, active: true },
      { name: "item3", value: null, tags: ["a", "b"] },
    ],
  ),
  fails("file.load_ndjson", ["other/non_existent_file.ndjson"]),
  expectScript(
    'return pcall(aip.file.load_ndjson, "other/wrong.ndjson")',
    false,
    expect.stringContaining("line 2"),
  ),
  gives("file.load_ndjson", ["other/empty.ndjson"], []),
  gives("file.load_ndjson", ["other/gaps.ndjson"], [{ valid: true }, { another: "valid" }]),
  expectScript(
    lines(
      ".tmp/l.ndjson",
      'local a = aip.file.append_json_line(".tmp/l.ndjson", { name = "item1", value = 123 }) aip.file.append_json_line(".tmp/l.ndjson", { name = "item2", active = true, tags = { "a", "b" } })',
    ),
    '{"name":"item1","value":123}\n{"active":true,"name":"item2","tags":["a","b"]}\n',
  ),
  expectScript(
    lines(
      ".tmp/m.ndjson",
      'aip.file.save(".tmp/m.ndjson", "{}\\n") aip.file.append_json_line(".tmp/m.ndjson", { appended = "yes", value = nil })',
    ),
    '{}\n{"appended":"yes"}\n',
  ),
  expectScript(
    lines(
      ".tmp/n.ndjson",
      'aip.file.append_json_lines(".tmp/n.ndjson", { { name = "line1", value = 1 }, { name = "line2", active = true }, { tags = { "c" }, data = nil } })',
    ),
    '{"name":"line1","value":1}\n{"active":true,"name":"line2"}\n{"tags":["c"]}\n',
  ),
  expectScript(
    lines(
      ".tmp/o.ndjson",
      'aip.file.save(".tmp/o.ndjson", "{}\\n") aip.file.append_json_lines(".tmp/o.ndjson", { { appended = "yes" }, { another = 123 } })',
    ),
    '{}\n{"appended":"yes"}\n{"another":123}\n',
  ),
  expectScript(lines(".tmp/p.ndjson", 'aip.file.append_json_lines(".tmp/p.ndjson", {})'), ""),
  gives("file.load_csv_headers", ["example.csv"], ["id", "name", "email"]),
  gives(
    "file.load_csv_headers",
    ["example.csv", { header_labels: { ID: "id" } }],
    ["ID", "name", "email"],
  ),
  gives("file.load_csv", ["example.csv"], {
    _type: "CsvContent",
    headers: ["id", "name", "email"],
    rows: [
      ["1", "Alice", "alice@example.com"],
      ["2", "Bob", "bob@example.com"],
    ],
  }),
  expectScript(
    'local c = aip.file.load_csv("example.csv", { has_header = false }) return c.headers, #c.rows',
    [],
    3,
  ),
  expectScript(
    lines(
      ".tmp/a.csv",
      'aip.file.save_as_csv(".tmp/a.csv", { { "name", "age" }, { "Alice", 30 } }, { has_header = true })',
    ),
    "name,age\nAlice,30\n",
  ),
  expectScript(
    lines(
      ".tmp/b.csv",
      'aip.file.save_as_csv(".tmp/b.csv", { headers = { "name", "age" }, rows = {} }) aip.file.append_csv_rows(".tmp/b.csv", { { "Alice", 30 }, { "Bob", 25 } }, { has_header = true })',
    ),
    "name,age\nAlice,30\nBob,25\n",
  ),
  expectScript(
    lines(".tmp/c.csv", 'aip.file.append_csv_row(".tmp/c.csv", { "Alice", 30 })'),
    "Alice,30\n",
  ),
  expectScript(
    lines(".tmp/d.csv", 'aip.file.save_as_csv(".tmp/d.csv", { headers = { "name", "age" } })'),
    "name,age\n",
  ),
  expectScript(
    lines(".tmp/e.csv", 'aip.file.save_as_csv(".tmp/e.csv", { rows = { { "Alice", 30 } } })'),
    "Alice,30\n",
  ),
  expectScript(lines(".tmp/f.csv", 'aip.file.save_as_csv(".tmp/f.csv", {})'), ""),
];
