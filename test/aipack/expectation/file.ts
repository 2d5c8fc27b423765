import { expect } from "vitest";
import { differs, type Expectation, fails, gives, expectScript } from "../expectation.ts";

const paths = "local t = {} for _, f in ipairs(files) do t[#t + 1] = f.path end return t";
const saved = (content: string, options: string): string =>
  `aip.file.save(".tmp/s.md", ${JSON.stringify(content)}, ${options}) return aip.file.load(".tmp/s.md").content`;
const slim = (target: string): string =>
  `local f = aip.file.save_html_to_slim("page.html"${target}) return f.path, f.name, f.ext, aip.file.load(f.path).content`;
const slimmed = expect.stringMatching(
  /^(?![^]*(?:<script>|<style>|<!--|<link|<svg>))[^]*<h1>Main Title<\/h1>[^]*<strong>strong<\/strong> and <em>emphasized<\/em>/,
);
const readNothing = "Cadre reads only text of at most 32 MiB, and has no reader of this format.";

/** `aip.file`, `aip.cmd`, and other functions that reach outside of Lua. */
export const fileExpectations: Expectation[] = [
  expectScript(
    'local f = aip.file.load("./agent-script/agent-hello.aip") return f.content, f.path, f.name',
    "from agent-hello.aip",
    "./agent-script/agent-hello.aip",
    "agent-hello.aip",
  ),
  expectScript(
    'local f = aip.file.load("ns_b@pack_b_2/main.aip") return f.content, f.path, f.name',
    "custom ns_b@pack_b_2 main.aip",
    expect.stringContaining("pack_b_2/main.aip"),
    "main.aip",
  ),
  expectScript(
    'local f = aip.file.load("ns_b@pack_b_2$base/extra/test.txt") return f.content, f.path',
    "for all",
    "ns_b@pack_b_2$base/extra/test.txt",
  ),
  expectScript(
    'local f = aip.file.load("ns_a@pack_a_1$workspace/extra/test.txt") return f.content, f.path',
    "in the workspace",
    "ns_a@pack_a_1$workspace/extra/test.txt",
  ),
  ...[
    "./agent-script/agent-hello.aip",
    "agent-script/agent-hello.aip",
    "./sub-dir-a/agent-hello-2.aip",
    "sub-dir-a/agent-hello-2.aip",
    "./sub-dir-a/",
    "sub-dir-a",
    "./sub-dir-a/../",
    "./sub-dir-a/..",
    "ns_b@pack_b_2/main.aip",
    "ns_a@pack_a_1$workspace/extra/test.txt",
  ].map((path) => gives("file.exists", [path], true)),
  ...[
    "./no file .rs",
    "some/no-file.md",
    "./s do/",
    "no-dir/at/all",
    "non_existent_ns@non_existent_pack/file.txt",
  ].map((path) => gives("file.exists", [path], false)),
  expectScript(
    'local f = aip.file.info("./agent-script/agent-hello.aip") return f.name, f.path',
    "agent-hello.aip",
    "./agent-script/agent-hello.aip",
  ),
  gives("file.info", ["not/a/file.txt"], null),
  expectScript(`local files = aip.file.list("*.txt") ${paths}`, ["file-01.txt", "file-02.txt"]),
  expectScript(`local files = aip.file.list("ns_b@pack_b_2$base/**/*.*") ${paths}`, [
    expect.stringContaining("extra/test.txt"),
  ]),
  expectScript(`local files = aip.file.list("sub-dir-a/**/*.*") ${paths}`, [
    "sub-dir-a/agent-hello-2.aip",
    "sub-dir-a/sub-sub-dir/agent-hello-3.aip",
    "sub-dir-a/sub-sub-dir/main.aip",
  ]),
  expectScript('return aip.file.list(CTX.WORKSPACE_DIR .. "/other/*.json")[1].name', "data.json"),
  expectScript(`local files = aip.file.list({ "**/*.*" }, { base_dir = "sub-dir-a" }) ${paths}`, [
    "agent-hello-2.aip",
    "sub-sub-dir/agent-hello-3.aip",
    "sub-sub-dir/main.aip",
  ]),
  expectScript(
    `local files = aip.file.list({ "agent-hello-*.aip" }, { base_dir = "sub-dir-a" }) ${paths}`,
    ["agent-hello-2.aip"],
  ),
  expectScript('return aip.file.first("sub-dir-a/**/*-2.*").path', "sub-dir-a/agent-hello-2.aip"),
  gives("file.first", ["sub-dir-a/**/*-not-a-thing.*"], null),
  expectScript(`local files = aip.file.list("non_existent_ns@non_existent_pack/**") ${paths}`, []),
  expectScript(saved("hello", "nil"), "hello"),
  expectScript(saved("   Leading spaces.\n", "{ trim_start = true }"), "Leading spaces.\n"),
  expectScript(saved("Trailing spaces.   \n\t", "{ trim_end = true }"), "Trailing spaces."),
  expectScript(saved("No newline", "{ single_trailing_newline = true }"), "No newline\n"),
  expectScript(saved("Many\n\n\n", "{ single_trailing_newline = true }"), "Many\n"),
  expectScript(
    saved(
      "   All.  \n\n",
      "{ trim_start = true, trim_end = true, single_trailing_newline = true }",
    ),
    "All.\n",
  ),
  differs(
    "Scripts write to the folders of packs in ~/.aipack-base, not beside them.",
    expectScript(
      'local _, e = pcall(aip.file.save, "~/.aipack-base/.tmp/x.md", "x") return e',
      expect.objectContaining({ name: "x.md" }),
    ),
    { values: [expect.stringContaining("outside")] },
  ),
  fails("file.save", ["../.tmp/x.md", "x"]),
  expectScript(
    'aip.file.copy("agent-script/agent-hello.aip", ".tmp/c.aip") return aip.file.load(".tmp/c.aip").content',
    "from agent-hello.aip",
  ),
  expectScript(
    'aip.file.save(".tmp/a.txt", "x") local i = aip.file.move(".tmp/a.txt", ".tmp/b.txt") return aip.file.exists(".tmp/a.txt"), aip.file.exists(".tmp/b.txt"), i.path',
    false,
    true,
    ".tmp/b.txt",
  ),
  expectScript(
    'local path = CTX.TMP_DIR .. "/my-dir/f.aip" aip.file.save(path, "tmp") return aip.file.load(path).content, path:match("%.aipack/.*/tmp/") ~= nil',
    "tmp",
    true,
  ),
  expectScript(
    'aip.file.save("$tmp/my-dir/v.txt", "tmp") local f = aip.file.load("$tmp/my-dir/v.txt") return f.content, f.name, f.path, #aip.file.list_load("$tmp/my-dir/v.*")',
    "tmp",
    "v.txt",
    "$tmp/my-dir/v.txt",
    1,
  ),
  expectScript(
    'aip.file.save("gone/a.txt", "x") return aip.file.delete("gone/a.txt"), aip.file.delete("gone/a.txt"), aip.file.delete("gone"), aip.file.exists("gone")',
    true,
    false,
    true,
    false,
  ),
  expectScript(
    'aip.file.ensure_exists(".tmp/e.txt") local empty = aip.file.load(".tmp/e.txt").content aip.file.ensure_exists(".tmp/e.txt", "x", { content_when_empty = true }) aip.file.ensure_exists(".tmp/e.txt", "y") return empty, aip.file.load(".tmp/e.txt").content',
    "",
    "x",
  ),
  expectScript(
    'local f = aip.file.save_html_to_md("page.html", ".tmp/page.md") return f.path, f.ext, aip.file.load(f.path).content',
    ".tmp/page.md",
    "md",
    expect.stringMatching(
      /# Main Title\n\nThis is \*\*strong\*\* and _emphasized_ text\.\n\n- Item 1\n- Item 2\n\n\[A Link\]\(https:\/\/example\.com\)/,
    ),
  ),
  fails("file.save_html_to_md", ["gone.html", "gone.md"]),
  expectScript(
    'local f = aip.file.save_html_to_md("page.html", { base_dir = ".tmp/md/", file_name = "output.md", slim = true }) return f.path, aip.file.load(f.path).content',
    ".tmp/md/output.md",
    expect.stringMatching(/^(?![^]*margin)[^]*# Main Title/),
  ),
  expectScript(slim(""), "page-slim.html", "page-slim.html", "html", slimmed),
  expectScript(slim(', ".tmp/custom.html"'), ".tmp/custom.html", "custom.html", "html", slimmed),
  expectScript(
    slim(', { base_dir = ".tmp/slim" }'),
    ".tmp/slim/page.html",
    "page.html",
    "html",
    slimmed,
  ),
  expectScript(
    slim(', { suffix = "_custom" }'),
    "page_custom.html",
    "page_custom.html",
    "html",
    slimmed,
  ),
  expectScript(slim(', { file_name = "new.html" }'), "new.html", "new.html", "html", slimmed),
  fails("file.save_html_to_slim", ["gone.html"]),
  differs(readNothing, expectScript("return type(aip.file.load_docx_as_md)", "function"), {
    values: ["nil"],
  }),
  differs(readNothing, expectScript("return type(aip.file.save_docx_to_md)", "function"), {
    values: ["nil"],
  }),
  differs(readNothing, expectScript("return type(aip.pdf.page_count)", "function"), {
    values: ["nil"],
  }),
  differs(readNothing, expectScript("return type(aip.pdf.split_pages)", "function"), {
    values: ["nil"],
  }),
  differs(
    "An agent has no editor of the user.",
    expectScript("return type(aip.editor.open_file)", "function"),
    { values: ["nil"] },
  ),
  differs(
    "Needs a parser of Rust.",
    expectScript("return type(aip.rust.prune_to_declarations)", "function"),
    { values: ["nil"] },
  ),
  expectScript(
    'local r = aip.web.get("https://example.com/page.html") return r.status, r.success, r.content',
    200,
    true,
    "a page",
  ),
  expectScript(
    'return aip.web.post("https://example.com/post", { some = "stuff" }, { parse = true }).content.json.some',
    "stuff",
  ),
  fails("web.get", ["https://this-cannot-go/anywhere.aip"]),
  expectScript(
    'local r = aip.cmd.exec("echo", "hello world") return r.stdout, r.stderr, r.exit',
    "hello world\n",
    "",
    0,
  ),
  expectScript('return aip.cmd.exec("echo", { "hello", "world" }).stdout', "hello world\n"),
  fails("cmd.exec", ["nonexistentcommand"]),
  expectScript('local r = aip.cmd.exec("false") return r.stdout, r.exit', "", 1),
];
