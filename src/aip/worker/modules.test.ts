import { expect, test } from "vitest";
import type { LuaValue } from "../lua/lua-value.ts";
import { callLibrary as call } from "../../../test/fixtures/aip/call-library.ts";
import { callModule } from "./modules.ts";
import type { AskHost } from "../library/arguments.ts";

const fence = "```";

test.each<[string, LuaValue[], LuaValue | LuaValue[]]>([
  [
    "md.extract_blocks",
    [`a\n${fence}rust x\nfn\n${fence}\nb`, "rust"],
    [{ lang: "rust", content: "fn\n" }],
  ],
  [
    "md.extract_blocks",
    [`a\n${fence}lua\nx\n${fence}\nb\n${fence}\ny\n${fence}`, { lang: "lua", extrude: "content" }],
    [[{ lang: "lua", content: "x\n" }], `a\nb\n${fence}\ny\n${fence}\n`],
  ],
  [
    "md.extract_meta",
    [`Hi\n${fence}toml\n#!meta\na = 1\n${fence}\n${fence}yaml\n#!meta\nb: [x]\n${fence}\nend`],
    [{ a: 1, b: ["x"] }, "Hi\nend"],
  ],
  [
    "md.extract_meta",
    [`${fence}python\n#!meta\n${fence}\n${fence}json\n//!meta\n{ "a": 1, }\n${fence}`],
    [{ a: 1 }, `${fence}python\n#!meta\n${fence}`],
  ],
  ["md.extract_meta", [undefined], [undefined, undefined]],
  [
    "md.outer_block_content_or_raw",
    [`${fence}rust\na\n${fence}x\nb\n${fence}\n`],
    `a\n${fence}x\nb\n`,
  ],
  ["md.outer_block_content_or_raw", ["plain"], "plain"],
  [
    "md.extract_refs",
    [`[a](b.md) ![](i.png) \`[no](x)\` [u](https://x.y/z) [h](#h)\n${fence}\n[no](x)\n${fence}`],
    [
      { _type: "MdRef", target: "b.md", text: "a", inline: false, kind: "File" },
      { _type: "MdRef", target: "i.png", text: null, inline: true, kind: "File" },
      { _type: "MdRef", target: "https://x.y/z", text: "u", inline: false, kind: "Url" },
      { _type: "MdRef", target: "#h", text: "h", inline: false, kind: "Anchor" },
    ],
  ],
  [
    "tag.extract",
    ["p <A file=r.md x='1 2'>one</A> <B/> s", ["A", "B"]],
    [
      { tag: "A", attrs: { file: "r.md", x: "1 2" }, content: "one" },
      { tag: "B", content: "" },
    ],
  ],
  [
    "tag.extract",
    ["x <A>1</A> y <A>2</A>", "A", { extrude: "content" }],
    [
      [
        { tag: "A", content: "1" },
        { tag: "A", content: "2" },
      ],
      "x  y ",
    ],
  ],
  ["tag.extract", ["<A>a <A>b</A> c</A>", "A"], [{ tag: "A", content: "a <A>b</A> c" }]],
  ["tag.extract", ["<A>never closed", "A"], []],
  [
    "tag.extract_as_map",
    ["<A>1</A><B>2</B><A>3</A>", ["A", "B"]],
    { A: { tag: "A", content: "3" }, B: { tag: "B", content: "2" } },
  ],
  [
    "tag.extract_as_multi_map",
    ["<A>1</A><A>3</A>", "A"],
    {
      A: [
        { tag: "A", content: "1" },
        { tag: "A", content: "3" },
      ],
    },
  ],
  ["json.parse", ['{ "a": [1, 2,], // c\n "b": "x // y" /* d */ }'], { a: [1, 2], b: "x // y" }],
  ["json.parse", [undefined], undefined],
  ["json.parse_ndjson", ['{"a":1}\n\n2\n'], [{ a: 1 }, 2]],
  ["json.stringify", [{ b: 1, a: [null, {}] }], '{"a":[null,{}],"b":1}'],
  ["json.stringify_pretty", [{ a: 1 }], '{\n  "a": 1\n}'],
  ["yaml.parse", ["a: 1\n---\n- x"], [{ a: 1 }, ["x"]]],
  ["yaml.parse", ["a: { b: 1, c: 2, b: 3 }\na: { d: 4, d: 5 }"], [{ a: { d: 5 } }]],
  ["yaml.stringify", [{ a: [1] }], "a:\n  - 1\n"],
  ["toml.parse", ["a = 1\n[b]\nc = 'd'"], { a: 1, b: { c: "d" } }],
  ["toml.stringify", [{ a: 1, n: null }], "a = 1\n"],
  ["csv.parse_row", ['a,"b,""c""",d'], ["a", 'b,"c"', "d"]],
  [
    "csv.parse",
    [
      "# c\nn;a\n\nx;1\n",
      { has_header: true, delimiter: ";", comment: "#", header_labels: { name: "n" } },
    ],
    { _type: "CsvContent", headers: ["name", "a"], rows: [["x", "1"]] },
  ],
  [
    "csv.values_to_row",
    [["a", 1.5, true, null, { k: "v" }, "x,y"]],
    'a,1.5,true,,"{""k"":""v""}","x,y"',
  ],
  [
    "csv.value_lists_to_rows",
    [
      [
        ["a", 1],
        ["b", 2],
      ],
    ],
    ["a,1", "b,2"],
  ],
  ["semver.compare", ["1.2.3", ">", "1.2.0"], true],
  ["semver.compare", ["1.0.0-alpha.2", "<", "1.0.0-alpha.10"], true],
  ["semver.compare", ["1.0.0+b", "==", "1.0.0"], false],
  [
    "semver.parse",
    ["1.2.3-b.1+x"],
    { major: 1, minor: 2, patch: 3, prerelease: "b.1", build: "x" },
  ],
  ["semver.is_prerelease", ["1.0.0-x"], true],
  ["semver.valid", ["1.0"], false],
  ["path.split", ["a/b.txt"], ["a", "b.txt"]],
  ["path.split", ["b.txt"], ["", "b.txt"]],
  ["path.split", ["a/b/"], ["a", "b"]],
  ["path.split", ["/b"], ["/", "b"]],
  ["path.join", ["dir1/", "subdir", "file3.txt"], "dir1/subdirfile3.txt"],
  ["path.join", ["dir1", ["s", "f.txt"]], "dir1/s/f.txt"],
  ["path.join", ["", ["my-dir//", "///file.txt"]], "my-dir/file.txt"],
  ["path.diff", ["/a/b/c/file.txt", "/a/b/"], "c/file.txt"],
  ["path.diff", ["/a/b/", "/a/b/c/file.txt"], "../.."],
  ["path.diff", ["folder/file.txt", "folder"], "file.txt"],
  ["path.parent", ["some/path/file.txt"], "some/path"],
  ["path.parent", ["."], ""],
  ["path.parent", ["/"], undefined],
  ["path.parent", ["a.txt"], ""],
  ["path.matches_glob", ["src/main.rs", ["**/*.rs", "*.md"]], true],
  ["path.matches_glob", [undefined, "*"], undefined],
  [
    "path.parse",
    ["a/b.tar.gz"],
    { _type: "FileInfo", path: "a/b.tar.gz", dir: "a", name: "b.tar.gz", stem: "b.tar", ext: "gz" },
  ],
  ["path.sort_by_globs", [["z", "b.rs", "a.md", "a.rs"], ["*.rs"]], ["a.rs", "b.rs", "a.md", "z"]],
  ["path.sort_by_globs", [["z", "b.rs"], "*.rs", "start"], ["z", "b.rs"]],
  ["path.sort_by_globs", [["a.rs", "b.rs"], ["a.rs", "*.rs", "a.*"], true], ["b.rs", "a.rs"]],
  [
    "path.sort_by_globs",
    [["a", "b.rs"], ["*.rs"], { end_weighted: true, no_match_position: "start" }],
    ["a", "b.rs"],
  ],
  [
    "path.sort_by_globs",
    [
      ["b.md", "a.rs", { path: "c.md" }],
      ["*.rs", "*.md"],
    ],
    ["a.rs", "b.md", { path: "c.md" }],
  ],
  ["hash.sha256", ["hello"], "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"],
  ["hash.sha256_b64u", ["hello"], "LPJNul-wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ"],
  ["hash.blake3", ["hello"], "ea8f163db38682925e4491c5e58d4bb3506ef8c14eb78a86e908c5624a67200f"],
  ["code.comment_line", ["rs", "x"], "// x"],
  ["code.comment_line", ["HTML", "x"], "<!-- x -->"],
  [
    "hbs.render",
    [
      "{{#each l}}{{@index}}{{this}}{{/each}} {{a.b}} {{no}} {{{h}}}",
      { l: ["x"], a: { b: "<" }, h: "&" },
    ],
    "0x <  &",
  ],
  [
    "hbs.render",
    [
      "{{#if (and (eq a 1) (gt b 1))}}y{{/if}}{{#unless e}}n{{/unless}}{{len l}}",
      { a: 1, b: 2, e: {}, l: [1] },
    ],
    "yn1",
  ],
  ["hbs.render", ["{{{a}}}}} {{a}}} {{#if a}}}{{/if}}}", { a: "x" }], "x}} x} }}"],
  [
    "hbs.render",
    ["{{a}}|{{b}}|{{#each b}}{{@key}}{{/each}}", { a: [1, ["x"], null], b: { c: 1 } }],
    "[1, [x], ]|[object]|c",
  ],
  ["hbs.render", ['{{gt "b" "a"}} {{lte 2 "10"}} {{lt "x" 1}}', {}], "true true false"],
  ["hbs.render", ["{{{{raw}}}}{{a}}{{{{/raw}}}}", { a: 1 }], "{{a}}"],
  ["hbs.render", ["{{constructor}}{{__proto__}}{{a.constructor.name}}", { a: {} }], ""],
  ["web.resolve_href", ["../x", "https://e.com/a/b"], "https://e.com/x"],
  ["web.resolve_href", ["https://f.com", "no base"], "https://f.com"],
  [
    "web.parse_url",
    ["https://e.com/"],
    {
      scheme: "https",
      host: "e.com",
      path: "/",
      username: "",
      url: "https://e.com/",
      page_url: "https://e.com/",
    },
  ],
  ["json.parse", ["{ wb: 'mine', /* c */ prs: [1, 2,] }"], { wb: "mine", prs: [1, 2] }],
  [
    "web.parse_url",
    ["https://u:p@e.com:8080/p.html?a=1#f"],
    {
      scheme: "https",
      host: "e.com",
      port: 8080,
      path: "/p.html",
      query: { a: "1" },
      fragment: "f",
      username: "u",
      password: "p",
      url: "https://u:p@e.com:8080/p.html?a=1#f",
      page_url: "https://u:p@e.com:8080/p.html",
    },
  ],
  ["agent.extract_options", [{ model: "m", top_p: 1, other: 2 }], { model: "m", top_p: 1 }],
  ["agent.extract_options", ["x"], undefined],
  ["uuid.to_time_epoch_ms", ["018bcfe5-6800-7000-8000-000000000000"], 1_700_000_000_000],
])("aip.%s %j", (name, values, expected) => {
  expect(call(name, ...values)).toEqual(expected);
});

test.each<[string, LuaValue[], RegExp]>([
  ["text.trim", [{}], /aip\.text\.trim expects a string as argument 1, got a table/],
  ["text.ensure", ["x", { sufix: "y" }], /prefix and suffix, got sufix/],
  ["text.extract_line_blocks", ["x", {}], /expects the option starts_with/],
  ["text.replace_markers", ["<<START>>\n<<END>>", []], /got 0 sections/],
  ["text.replace_markers", ["none", ["a"]], /got 1 sections, but the text has 0/],
  ["path.sort_by_globs", [[1], "*"], /expects paths or tables with a path, got a number/],
  ["tag.extract", ["x", ["a b"]], /expects names of tags/],
  ["tag.extract", ["x", "a", { extrude: "all" }], /expected extrude to be "content"/],
  ["json.parse", ["{"], /aip\.json\.parse failed/],
  ["json.parse_ndjson", ["1\n{"], /line 2 is not JSON/],
  ["yaml.parse", ["a: ]"], /aip\.yaml\.parse failed: document 1 is not YAML/],
  ["toml.parse", ["a = "], /aip\.toml\.parse failed/],
  ["md.extract_meta", [`${fence}toml\n#!meta\na =\n${fence}`], /the meta block at line 1 failed/],
  [
    "semver.compare",
    ["x", "<", "1.0.0"],
    /expects a version such as 1\.2\.3 as argument 1, got "x"/,
  ],
  ["semver.compare", ["1.0.0", "~>", "1.0.0"], /expects one of < <=/],
  ["hbs.render", ["{{#if}}", {}], /Parse error/],
  ["web.parse_url", ["nope"], /expects a URL/],
  ["path.join", ["a", 5], /got a number as argument 2/],
])("aip.%s refuses %j", (name, values, message) => {
  expect(() => call(name, ...values)).toThrow(message);
});

test("every function of every module reports wrong arguments with its own name", () => {
  const ask: AskHost = () => null;
  for (const name of [
    "text.trim",
    "md.extract_blocks",
    "csv.parse",
    "hash.sha256",
    "path.split",
    "cmd.exec",
  ])
    expect(() => callModule(name, [true], ask)).toThrow(`aip.${name} expects`);
});
