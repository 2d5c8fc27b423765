import { expect } from "vitest";
import { type Expectation, fails, gives, expectScript } from "../expectation.ts";

const john = {
  name: "John",
  age: 30,
  address: { street: "123 Main St", city: "New York" },
  hobbies: ["reading", "gaming"],
};
const alice = { id: 1, name: "Alice" };
const bob = { id: 2, name: "Bob" };
const table = {
  headers: ["name", "age"],
  rows: [
    ["John", "30"],
    ["Jane", "25"],
  ],
};

/** `aip.json`, `aip.yaml`, `aip.toml`, `aip.csv`, `aip.shape` and `aip.lua`. */
export const data: Expectation[] = [
  gives("json.parse", ['{"name": "John", "age": 30}'], { name: "John", age: 30 }),
  gives("json.parse", ['\t// Some comment\n\t{"name": "John", "age": 30}\n'], {
    name: "John",
    age: 30,
  }),
  gives("json.parse", [null], null),
  fails("json.parse", ["{invalid_json}"]),
  gives(
    "json.parse_ndjson",
    ['{"name": "John", "age": 30}\n{"name": "Jane", "age": 25}'],
    [
      { name: "John", age: 30 },
      { name: "Jane", age: 25 },
    ],
  ),
  gives(
    "json.parse_ndjson",
    ['{"id": 1}\n\n{"id": 2}\n   \n{"id": 3}'],
    [{ id: 1 }, { id: 2 }, { id: 3 }],
  ),
  gives("json.parse_ndjson", [null], null),
  expectScript(
    'return pcall(aip.json.parse_ndjson, [[{"id": 1}\n{invalid_json}\n{"id": 3}]])',
    false,
    expect.stringContaining("line 2"),
  ),
  gives("json.stringify_pretty", [{ age: 30 }], '{\n  "age": 30\n}'),
  expectScript(
    "return aip.json.parse(aip.json.stringify_pretty({ name = 'John', hobbies = { 'reading' }, address = { city = 'New York' } }))",
    { name: "John", hobbies: ["reading"], address: { city: "New York" } },
  ),
  ...["stringify", "stringify_to_line"].map((name) =>
    gives(`json.${name}`, [john], expect.stringMatching(/^(?!.* {2}|.*\n).*"name":"John"/)),
  ),
  gives("yaml.parse", ["name: Doc1\n---\nname: Doc2\n"], [{ name: "Doc1" }, { name: "Doc2" }]),
  gives("yaml.parse", [null], null),
  gives("yaml.stringify", [{ name: "John" }], "name: John\n"),
  gives(
    "yaml.stringify_multi_docs",
    [[{ name: "D1" }, { name: "D2" }]],
    expect.stringMatching(/name: D1\n---\nname: D2/),
  ),
  gives("toml.parse", ['title = "x"\n[owner]\nname = "y"'], { title: "x", owner: { name: "y" } }),
  expectScript("return aip.toml.parse(aip.toml.stringify({ a = 1, b = { c = 'd' } }))", {
    a: 1,
    b: { c: "d" },
  }),
  gives("csv.parse_row", ['a,"b,c",d'], ["a", "b,c", "d"]),
  gives("csv.parse_row", ["a;b;c", { delimiter: ";" }], ["a", "b", "c"]),
  gives(
    "csv.parse",
    ["# comment\nname,age\nJohn,30\n\nJane,25\n", { has_header: true, comment: "#" }],
    { _type: "CsvContent", ...table },
  ),
  gives("csv.parse", ["name,age\nJohn,30\nJane,25\n"], { _type: "CsvContent", ...table }),
  gives("csv.parse", ["name,age\nJohn,30\n,\nJane,25\n"], { _type: "CsvContent", ...table }),
  gives("csv.parse", ["a,b,c\n1,2,3", { has_header: false }], {
    _type: "CsvContent",
    headers: [],
    rows: [
      ["a", "b", "c"],
      ["1", "2", "3"],
    ],
  }),
  gives(
    "csv.parse",
    [
      "ID Code,Full Name,Contact Email\n1,Alice,alice@x.com",
      { header_labels: { id: "ID Code", name: "Full Name" } },
    ],
    {
      _type: "CsvContent",
      headers: ["id", "name", "Contact Email"],
      rows: [["1", "Alice", "alice@x.com"]],
    },
  ),
  gives("csv.values_to_row", [["a", "b,c", "d"]], 'a,"b,c",d'),
  gives("csv.values_to_row", [["a", "b;c", "d"], { delimiter: ";" }], 'a;"b;c";d'),
  expectScript('return aip.csv.values_to_row({ "a", 123, true, null })', "a,123,true,"),
  gives(
    "csv.value_lists_to_rows",
    [
      [
        ["a", 1],
        ["b,c", 2],
      ],
    ],
    ["a,1", '"b,c",2'],
  ),
  gives(
    "shape.to_record",
    [
      ["id", "name", "email"],
      [1, "Alice", "a@x.com"],
    ],
    {
      ...alice,
      email: "a@x.com",
    },
  ),
  gives(
    "shape.to_record",
    [
      ["id", "name"],
      [1, "Alice", "EXTRA"],
    ],
    alice,
  ),
  gives(
    "shape.to_record",
    [
      ["id", "name", "email"],
      [2, "Bob"],
    ],
    bob,
  ),
  fails("shape.to_record", [
    ["id", 123, "email"],
    [3, "Cara", "c@x.com"],
  ]),
  gives(
    "shape.to_records",
    [
      ["id", "name"],
      [
        [1, "Alice"],
        [2, "Bob"],
      ],
    ],
    [alice, bob],
  ),
  gives(
    "shape.to_records",
    [
      ["id", "name", "email"],
      [
        [1, "Alice"],
        [2, "Bob", "b@x.com", "EXTRA"],
      ],
    ],
    [alice, { ...bob, email: "b@x.com" }],
  ),
  fails("shape.to_records", [
    ["id", "name"],
    [[1, "Alice"], "INVALID_ROW"],
  ]),
  fails("shape.to_records", [["id", 999, "email"], [[1, "Alice", "a@x.com"]]]),
  gives("shape.record_to_values", [{ ...alice, email: "a@x.com" }], ["a@x.com", 1, "Alice"]),
  gives("shape.record_to_values", [alice, ["name", "id", "missing"]], ["Alice", 1, null]),
  gives(
    "shape.records_to_value_lists",
    [
      [alice, bob],
      ["id", "name"],
    ],
    [
      [1, "Alice"],
      [2, "Bob"],
    ],
  ),
  gives(
    "shape.records_to_value_lists",
    [
      [alice, { id: 2 }],
      ["name", "id", "missing"],
    ],
    [
      ["Alice", 1, null],
      [null, 2, null],
    ],
  ),
  gives("shape.columnar_to_records", [{ id: [1, 2], name: ["Alice", "Bob"] }], [alice, bob]),
  fails("shape.columnar_to_records", [{ id: [1, 2], name: ["Alice"] }]),
  gives("shape.records_to_columnar", [[alice, bob]], { id: [1, 2], name: ["Alice", "Bob"] }),
  gives("shape.records_to_columnar", [[{ ...alice, email: "a@x.com" }, bob]], {
    id: [1, 2],
    name: ["Alice", "Bob"],
  }),
  fails("shape.records_to_columnar", [[alice, "INVALID_ROW"]]),
  expectScript(
    "local r = { id = 1 } r[123] = 'bad' return (pcall(aip.shape.records_to_columnar, { r }))",
    false,
  ),
  gives("shape.select_keys", [{ ...alice, email: "a@x.com" }, ["id", "email"]], {
    id: 1,
    email: "a@x.com",
  }),
  gives("shape.select_keys", [bob, ["id", "missing"]], { id: 2 }),
  expectScript(
    'local r = { id = 3, name = "Cara" } return aip.shape.select_keys(r, { "name" }), r',
    { name: "Cara" },
    { id: 3, name: "Cara" },
  ),
  fails("shape.select_keys", [alice, ["id", 123]]),
  expectScript(
    'local r = { id = 1, name = "Alice", email = "a@x.com" } return aip.shape.extract_keys(r, { "id", "email" }), r',
    { id: 1, email: "a@x.com" },
    { name: "Alice" },
  ),
  expectScript(
    'local r = { id = 2, name = "Bob" } return aip.shape.extract_keys(r, { "id", "missing" }), r',
    { id: 2 },
    { name: "Bob" },
  ),
  fails("shape.extract_keys", [alice, ["id", 123]]),
  expectScript(
    'local r = { id = 1, name = "Alice", email = "a@x.com" } return aip.shape.remove_keys(r, { "email" }), r',
    1,
    alice,
  ),
  expectScript(
    'local r = { id = 2, name = "Bob" } return aip.shape.remove_keys(r, { "email", "id" }), r',
    1,
    { name: "Bob" },
  ),
  fails("shape.remove_keys", [alice, ["id", 123]]),
  gives("shape.omit_keys", [{ ...alice, email: "a@x.com" }, ["email"]], alice),
  expectScript(
    "local t = { a = 1, b = { c = 1, d = 2 } } aip.lua.merge(t, nil, { b = { c = 3 } }, null, { e = 4 }) return t",
    { a: 1, b: { c: 3 }, e: 4 },
  ),
  expectScript(
    "local t = { a = 1, b = { c = 1, d = 2 } } return aip.lua.merge_deep(t, { b = { c = 3 } }, { e = 4 })",
    { a: 1, b: { c: 3, d: 2 }, e: 4 },
  ),
  fails("lua.merge", [null, {}]),
];
