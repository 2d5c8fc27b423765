import { expect } from "vitest";
import { type Expectation, fails, gives, expectScript } from "../expectation.ts";

const fence = "```";
const blocks = `This is some content\n\n${fence}lua\n--some lua \n${fence}\nand other block\n\n${fence}rust\n//! some rust block \n${fence}\nThe end`;
const lua = { lang: "lua", content: "--some lua \n" };
const rust = { lang: "rust", content: "//! some rust block \n" };
const meta = `Some content\n\n${fence}toml\n#!meta\nsome = "stuff"\n${fence}\n\nsome more content\n\n${fence}toml\n#!meta\n# Another meta block\nnum = 123\n${fence}\n\nAnd this is the end\n`;
const page =
  "<!DOCTYPE html>\n<html>\n<head>\n  <script>alert('test');</script>\n  <style>body { color: red; }</style>\n</head>\n" +
  '<body>\n  <div class="content">Hello World</div>\n  <!-- comment -->\n</body>\n</html>\n';
const bullets =
  '<div>First div<div>\n<li class="me">Bullet One </li>\n<section>\n<p>Some text</p>\n' +
  '<DIV class="me other " TITLE = " Some Title" > Div <strong>Two </strong></DIV>\n</section>\n';
const element = (tag: string, content: string): Record<string, string> => ({ tag, content });

/** `aip.md`, `aip.tag`, `aip.html`, `aip.hbs`, `aip.web` and `aip.code`. */
export const markup: Expectation[] = [
  gives("md.extract_blocks", [blocks, { lang: "lua" }], [lua]),
  gives("md.extract_blocks", [blocks, "rust"], [rust]),
  gives("md.extract_blocks", [blocks], [lua, rust]),
  gives(
    "md.extract_blocks",
    [blocks, { lang: "lua", extrude: "content" }],
    [lua],
    expect.stringMatching(
      /^This is some content[^]*and other block[^]*```rust[^]*```\n[^]*The end/,
    ),
  ),
  gives(
    "md.extract_blocks",
    [blocks, { extrude: "content" }],
    [lua, rust],
    expect.stringMatching(/^This is some content(?![^]*```)[^]*and other block[^]*The end/),
  ),
  gives(
    "md.extract_meta",
    [meta],
    { some: "stuff", num: 123 },
    expect.stringMatching(
      /^Some content(?![^]*(?:meta|num = 123|```))[^]*some more content[^]*And this is the end/,
    ),
  ),
  gives("md.extract_meta", [null], null, null),
  gives(
    "md.outer_block_content_or_raw",
    [
      `${fence}rust\nfn main() {\n    let a = ${fence}ts\n    const x = 42;\n    ${fence};\n}\n${fence}`,
    ],
    `fn main() {\n    let a = ${fence}ts\n    const x = 42;\n    ${fence};\n}\n`,
  ),
  gives("md.outer_block_content_or_raw", ["Just plain\ntext"], "Just plain\ntext"),
  gives(
    "md.extract_refs",
    ["[](https://example.com)"],
    [expect.objectContaining({ target: "https://example.com", text: null })],
  ),
  gives(
    "md.extract_refs",
    ["[link](//example.com/path)"],
    [expect.objectContaining({ kind: "Url" })],
  ),
  gives(
    "md.extract_refs",
    ["[first](a.md) and [second](b.md) and [third](c.md)"],
    [
      expect.objectContaining({ target: "a.md", text: "first", kind: "File", inline: false }),
      expect.objectContaining({ target: "b.md" }),
      expect.objectContaining({ target: "c.md" }),
    ],
  ),
  gives(
    "md.extract_refs",
    [`${fence}\n[no](x.md)\n${fence}\n\`[no](y.md)\` [yes](page.md)`],
    [expect.objectContaining({ target: "page.md" })],
  ),
  gives(
    "md.extract_refs",
    ["![alt](img.png) [up](#top)"],
    [
      expect.objectContaining({ target: "img.png", inline: true }),
      expect.objectContaining({ target: "#top", kind: "Anchor" }),
    ],
  ),
  gives("md.extract_refs", [null], []),
  gives(
    "tag.extract",
    ["Some <DATA>content1</DATA> more <DATA>content2</DATA> final.", "DATA"],
    [element("DATA", "content1"), element("DATA", "content2")],
  ),
  gives("tag.extract", ["Some text without tags.", "DATA"], []),
  gives(
    "tag.extract",
    ["Prefix <DATA>a</DATA> Infix <DATA>b</DATA> Suffix", "DATA", { extrude: "content" }],
    [element("DATA", "a"), element("DATA", "b")],
    "Prefix  Infix  Suffix",
  ),
  gives(
    "tag.extract",
    ["Just plain text.", "DATA", { extrude: "content" }],
    [],
    "Just plain text.",
  ),
  gives(
    "tag.extract",
    ["<START>at start</START>middle<END>at end</END>", "START", { extrude: "content" }],
    [element("START", "at start")],
    "middle<END>at end</END>",
  ),
  gives(
    "tag.extract",
    ["<START>at start</START>middle<END>at end</END>", "END", { extrude: "content" }],
    [element("END", "at end")],
    "<START>at start</START>middle",
  ),
  gives("tag.extract", ["", "DATA", { extrude: "content" }], [], ""),
  gives(
    "tag.extract",
    ["<D1>c1</D1><D2>c2</D2>", "D1", { extrude: "content" }],
    [element("D1", "c1")],
    "<D2>c2</D2>",
  ),
  gives(
    "tag.extract",
    ['<F path="a/b.txt" id=123 flag>x</F>', "F"],
    [{ tag: "F", attrs: { path: "a/b.txt", id: "123", flag: "" }, content: "x" }],
  ),
  gives(
    "tag.extract",
    ["<F   key = 'value with spaces'    other =true\tline=42\nflag >x</F>", "F"],
    [
      {
        tag: "F",
        attrs: { key: "value with spaces", other: "true", line: "42", flag: "" },
        content: "x",
      },
    ],
  ),
  gives("tag.extract", ["<F   \n\t>x</F>", "F"], [element("F", "x")]),
  gives("tag.extract_as_map", ["<A>1</A><B>2</B>", ["A", "B"]], {
    A: element("A", "1"),
    B: element("B", "2"),
  }),
  gives("tag.extract_as_multi_map", ["<A>1</A><B>2</B><A>3</A>", ["A", "B"]], {
    A: [element("A", "1"), element("A", "3")],
    B: [element("B", "2")],
  }),
  gives(
    "html.slim",
    [page],
    expect.stringMatching(
      /^(?![^]*(?:<script>|<style>|<!-- comment))[^]*<div class="content">Hello World<\/div>/,
    ),
  ),
  gives(
    "html.select",
    [bullets, ".me"],
    [
      { tag: "li", attrs: { class: "me" }, text: "Bullet One", inner_html: "Bullet One" },
      {
        tag: "div",
        attrs: { class: "me other ", title: " Some Title" },
        text: "Div Two",
        inner_html: "Div <strong>Two </strong>",
      },
    ],
  ),
  expectScript("return aip.html.select('<p>x</p>', nil)", []),
  gives(
    "html.to_md",
    [
      "<h1>Title</h1><p>Some <strong>bold</strong> text.</p><ul><li>Item 1</li><li>Item 2</li></ul>",
    ],
    "# Title\n\nSome **bold** text.\n\n- Item 1\n- Item 2",
  ),
  gives("html.to_md", ["<p>an <em>emphasized</em> word</p>"], "an _emphasized_ word"),
  gives("html.to_md", [""], ""),
  gives("hbs.render", ["Hello, {{name}}!", { name: "World" }], "Hello, World!"),
  gives(
    "hbs.render",
    ["ID: {{id}}, Nested: {{nested.value}}", { id: 42, nested: { value: "test" } }],
    "ID: 42, Nested: test",
  ),
  gives(
    "hbs.render",
    [
      "Hello {{name}},\n\n{{#each todos}}\n- {{this}}\n{{/each}}\n",
      { name: "Jen", todos: ["Bug Triage", "Fix Windows"] },
    ],
    "Hello Jen,\n\n- Bug Triage\n- Fix Windows\n",
  ),
  expectScript(
    'local u = aip.web.parse_url("https://user:pass@example.com:8080/path/to/resource?key1=val1&key2=val2#fragment") return u',
    expect.objectContaining({
      scheme: "https",
      host: "example.com",
      port: 8080,
      path: "/path/to/resource",
      query: { key1: "val1", key2: "val2" },
      fragment: "fragment",
      username: "user",
      password: "pass",
      url: "https://user:pass@example.com:8080/path/to/resource?key1=val1&key2=val2#fragment",
    }),
  ),
  fails("web.parse_url", ["not a valid url"]),
  gives("web.parse_url", [null], null),
  gives(
    "web.resolve_href",
    ["https://another.com/page.html", "https://base.com/docs/"],
    "https://another.com/page.html",
  ),
  gives(
    "web.resolve_href",
    ["sub/page.html", "https://base.com/docs/"],
    "https://base.com/docs/sub/page.html",
  ),
  gives(
    "web.resolve_href",
    ["/other/resource", "https://base.com/docs/path/"],
    "https://base.com/other/resource",
  ),
  ...["https", "http"].map((scheme) =>
    gives(
      "web.resolve_href",
      ["//cdn.example.com/script.js", `${scheme}://base.com/docs/`],
      `${scheme}://cdn.example.com/script.js`,
    ),
  ),
  gives("web.resolve_href", [null, "https://base.com/docs/"], null),
  fails("web.resolve_href", ["path", "not-a-base-url"]),
  gives("web.resolve_href", ["", "https://base.com/docs/"], "https://base.com/docs/"),
  gives(
    "web.resolve_href",
    ["#section1", "https://base.com/page.html"],
    "https://base.com/page.html#section1",
  ),
  gives(
    "web.resolve_href",
    ["?key=val", "https://base.com/page.html"],
    "https://base.com/page.html?key=val",
  ),
];
