import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAipProject } from "../../../test/fixtures/aip/aip-project.ts";

test("files are written, read, listed, moved and deleted", async () => {
  const project = createAipProject();
  const { read, write, workspace } = project;
  write("node_modules/x/a.md", "no");
  write("docs/b.md", "# B\n\ntext\n\n## C\n\nmore\n");
  const value = await project.evaluate(`
    local saved = aip.file.save("docs/a.md", "  hello\\n\\n", { trim_start = true, single_trailing_newline = true })
    aip.file.append("docs/a.md", "world")
    aip.file.append("new/log.txt", "first")
    aip.file.ensure_exists("docs/a.md", "never")
    aip.file.ensure_exists("empty.txt")
    aip.file.ensure_exists("empty.txt", "filled", { content_when_empty = true })
    aip.file.copy("docs/a.md", "docs/copy.md")
    local twice = select(2, pcall(aip.file.copy, "docs/a.md", "docs/copy.md"))
    aip.file.move("docs/copy.md", "moved/c.md")
    local paths = {}
    for _, file in ipairs(aip.file.list({ "docs/*.md", "**/*.md", "!moved/**" })) do table.insert(paths, file.path) end
    local loaded = aip.file.list_load("*.md", { base_dir = "docs" })
    return {
      name = saved.name, ext = saved.ext, size = saved.size, twice = twice, paths = paths,
      loaded = { loaded[1].path, loaded[1].content, loaded[1]._type },
      info = aip.file.info("gone.md") == nil, first = aip.file.first("**/*.txt").path,
      absolute = aip.file.list("docs/a.md", { absolute = true })[1].path,
      stats = aip.file.stats("docs/*").number_of_files, none = aip.file.stats("x/*").total_size,
      deleted = { aip.file.delete("moved/c.md"), aip.file.delete("moved/c.md") },
      folders = { aip.file.ensure_dir("made/here"), aip.file.ensure_dir("made/here"), aip.path.is_dir("made/here"), select(2, pcall(aip.file.ensure_dir, "docs/a.md")) },
      kinds = { aip.path.exists("gone"), aip.path.exists("docs"), aip.path.is_file("docs"), aip.path.is_dir("docs"), aip.file.exists("docs/a.md") },
      hash = aip.file.hash_sha256("empty.txt"):sub(1, 8), span = aip.file.read_span("docs/a.md", 6, 11),
      lines = aip.file.line_spans("docs/a.md"),
      sections = aip.file.load_md_sections("docs/b.md", "# B")[1].content,
      split = aip.file.load_md_split_first("docs/b.md").first.heading.name,
    }`);
  expect(value).toEqual({
    name: "a.md",
    ext: "md",
    size: 6,
    twice: expect.stringContaining("docs/copy.md exists"),
    paths: ["docs/a.md", "docs/b.md"],
    loaded: ["a.md", "hello\nworld", "FileRecord"],
    info: true,
    first: "empty.txt",
    absolute: join(workspace, "docs/a.md"),
    stats: 2,
    none: 0,
    deleted: [true, false],
    folders: [true, false, true, "docs/a.md is a file"],
    kinds: [false, true, false, true, true],
    hash: "8a2f8bcb",
    span: "world",
    lines: [
      [0, 6],
      [6, 11],
    ],
    sections: "\ntext\n\n## C\n\nmore\n",
    split: "B",
  });
  expect(read("new/log.txt")).toBe("first");
});

test("globs skip heavy folders, take folder names literally, and sort by the last matching glob, then by path", async () => {
  const project = createAipProject();
  const { write, home } = project;
  for (const path of [
    "a.md",
    "node_modules/x.md",
    ".aipack/y.md",
    "odd[1]/b.md",
    "odd[1]/c.txt",
    "sub/d.md",
  ])
    write(path, "");
  write(join(home, ".aipack-base/pack/custom/ns/p/guide/e.md"), "");
  const value = await project.evaluate(`
    local function paths(...) local t = {} for _, f in ipairs(aip.file.list(...)) do table.insert(t, f.path) end return t end
    return {
      paths({ "sub/**", "**/*.md" }), paths({ "*/{*.md}", "!odd*/**", "a.md" }), paths("**/*.md", { base_dir = "odd[1]" }), paths("node_modules/**"),
      paths({ "**/*.{md,txt}", "!odd*/**", "!a.md" }), paths("ns@p/guide/*.md"), paths("./a.md"), paths("gone/*"), paths({}),
      paths("*.md", { base_dir = "ns@p/guide" }),
    }`);
  const guide = join(home, ".aipack-base/pack/custom/ns/p/guide/e.md");
  expect(value).toEqual([
    ["a.md", "odd[1]/b.md", "sub/d.md"],
    ["sub/d.md", "a.md"],
    ["b.md"],
    ["node_modules/x.md"],
    ["sub/d.md"],
    [guide],
    ["a.md"],
    [],
    [],
    ["e.md"],
  ]);
});

test("data files are read and written in their formats", async () => {
  const project = createAipProject();
  const { write, read } = project;
  write("a.json", '{ "a": 1, /* c */ }');
  write("a.toml", "a = 1");
  write("a.yaml", "a: 1\n---\nb: 2");
  write("page.html", "<style>x</style><h2>T</h2><p id='p'>x</p>");
  const value = await project.evaluate(`
    aip.file.append_json_line("l.ndjson", { b = 1, a = 2 })
    aip.file.append_json_lines("l.ndjson", { 1, "x" })
    aip.file.save_records_as_csv("u.csv", { { id = 1, n = "A, B" }, { id = 2 } }, { "id", "n" }, { header_labels = { n = "Name" } })
    aip.file.append_csv_row("u.csv", { 3, "C" })
    aip.file.save_as_csv("m.csv", { headers = { "x" }, rows = { { 1 } } })
    aip.file.save_html_to_md("page.html")
    aip.file.save_html_to_slim("page.html", { base_dir = "out" })
    local _, changes = aip.file.save_changes("a.toml", "<<<<<<< SEARCH\\na = 1\\n=======\\na = 2\\n>>>>>>> REPLACE")
    local _, failed = aip.file.save_changes("a.toml", "<<<<<<< SEARCH\\nz\\n=======\\ny\\n>>>>>>> REPLACE")
    return {
      json = aip.file.load_json("a.json"), toml = aip.file.load_toml("a.toml"), yaml = aip.file.load_yaml("a.yaml")[2].b,
      lines = aip.file.load_ndjson("l.ndjson"), csv = aip.file.load_csv("u.csv").rows, heads = aip.file.load_csv_headers("u.csv"),
      spans = aip.file.csv_row_spans("m.csv"), changes = changes, failed = #failed.failed_changes,
      none = aip.file.load_json(nil) == nil, context = aip.udiffx.load_files_context("a.toml"),
      md = aip.file.load_html_as_md("page.html"),
    }`);
  expect(value).toEqual({
    json: { a: 1 },
    toml: { a: 2 },
    yaml: 2,
    lines: [{ a: 2, b: 1 }, 1, "x"],
    csv: [
      ["1", "A, B"],
      ["2", ""],
      ["3", "C"],
    ],
    heads: ["id", "Name"],
    spans: [
      [0, 1],
      [2, 3],
    ],
    changes: { changed_count: 1 },
    failed: 1,
    none: true,
    context: '<FILE_CONTENT path="a.toml">\na = 2\n</FILE_CONTENT>\n',
    md: "## T\n\nx",
  });
  expect(read("l.ndjson")).toBe('{"a":2,"b":1}\n1\n"x"\n');
  expect(read("page.md")).toBe("## T\n\nx");
  expect(read("out/page.html")).toBe("<h2>T</h2><p>x</p>");
});

test("nothing outside the workspace and the packs is read or written, even through links", async () => {
  const project = createAipProject();
  const { home, workspace, write } = project;
  const secret = write(join(home, "secret.txt"), "secret");
  symlinkSync(secret, join(workspace, "link.txt"));
  symlinkSync(home, join(workspace, "folder"));
  symlinkSync(join(home, "new.txt"), join(workspace, "dangling.txt"));
  write("lua/mine.lua", "return 1");
  symlinkSync(secret, join(workspace, "lua/linked.lua"));
  write(join(home, ".aipack-base/pack/installed/ns/p/t.md"), "of the pack");
  const value = (await project.evaluate(`
    local function try(f, ...) local _, message = pcall(f, ...) return message end
    return {
      try(aip.file.load, "../home/secret.txt"), try(aip.file.load, "~/secret.txt"), try(aip.file.load, "link.txt"),
      try(aip.file.save, "link.txt", "x"), try(aip.file.save, "folder/new.txt", "x"), try(aip.file.save, "/tmp/cadre-x", "x"),
      try(aip.file.delete, "~/secret.txt"), try(aip.file.ensure_dir, "../home/x"), try(aip.file.list, "~/**"), try(aip.file.list, "../**"),
      try(aip.file.save, "ns@p/t.md", "x"), try(aip.file.move, "ns@p$base/a", "b"), try(require, "../../secret"),
      try(aip.cmd.exec, "ls", {}, { cwd = "/" }), try(aip.file.hash_sha256, "link.txt"),
      try(aip.file.save, "dangling.txt", "x"), try(aip.file.append, "dangling.txt", "x"), try(aip.file.append, "link.txt", "x"),
      try(aip.file.list, "folder/**"), try(aip.file.copy, "link.txt", "copy.txt"), try(aip.file.copy, "lua/mine.lua", "folder/x"),
      try(aip.file.move, "folder/secret.txt", "x"), try(aip.file.info, "link.txt"), try(aip.path.exists, "folder/secret.txt"),
      try(require, "linked"),
    }`)) as string[];
  for (const message of value) expect(message).toMatch(/outside|lies outside|only files in it/);
  expect(value).toHaveLength(25);
  expect(readFileSync(secret, "utf8")).toBe("secret");
  expect(await project.evaluate("return aip.file.load('ns@p/t.md').content")).toBe("of the pack");
});

test("packs have their own files and temporary ones", async () => {
  const project = createAipProject();
  const { read, home } = project;
  await project.evaluate(`
    aip.file.save("ns@p$workspace/state.txt", "here")
    aip.file.save("ns@p$base/state.txt", "for all")
    aip.file.save("$tmp/x.txt", CTX.TMP_DIR)`);
  expect(read(".aipack/support/pack/ns/p/state.txt")).toBe("here");
  expect(readFileSync(join(home, ".aipack-base/support/pack/ns/p/state.txt"), "utf8")).toBe(
    "for all",
  );
  expect(read(".aipack/.sessions/run-1/tmp/x.txt")).toBe(
    join(project.workspace, ".aipack/.sessions/run-1/tmp"),
  );
});

test("special files and folders in place of files are refused", async () => {
  const project = createAipProject();
  const { workspace } = project;
  mkdirSync(join(workspace, "dir"));
  expect(
    await project.evaluate(`return {
      select(2, pcall(aip.file.load, "dir")), select(2, pcall(aip.file.save, "dir", "x")),
      select(2, pcall(aip.file.load, "gone")),
      select(2, pcall(aip.file.load, "a\\0b")), select(2, pcall(aip.file.load, "no@pack/x")) }`),
  ).toEqual([
    "dir is not a file",
    "dir is a folder",
    "gone cannot be read: there is no such file",
    expect.stringContaining("NUL"),
    expect.stringContaining("there is no pack no@pack"),
  ]);
});
