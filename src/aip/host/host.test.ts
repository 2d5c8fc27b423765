import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  type AipProject,
  type AipWorld,
  createAipProject,
} from "../../../test/fixtures/aip/aip-project.ts";
import type { JsonValue } from "../../source/json.ts";

let project: AipProject;
afterEach(() => project.remove());

function setUp(world?: AipWorld): AipProject {
  project = createAipProject(world);
  return project;
}

/** What a script in Data returns. */
async function valueOf(
  code: string,
  invocation: Parameters<AipProject["run"]>[1] = {},
): Promise<JsonValue> {
  const text = `# Data\n\`\`\`lua\n${code}\n\`\`\`\n# Output\n\`\`\`lua\nreturn data\n\`\`\`\n`;
  project.record.clear();
  const { outputs } = await project.run(text, invocation);
  return outputs[0] ?? null;
}

test("files are written, read, listed, moved and taken away", async () => {
  const { read, write, workspace } = setUp();
  write("node_modules/x/a.md", "no");
  write("docs/b.md", "# B\n\ntext\n\n## C\n\nmore\n");
  const value = await valueOf(`
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

test("data files are read and written in their formats", async () => {
  const { write, read } = setUp();
  write("a.json", '{ "a": 1, /* c */ }');
  write("a.toml", "a = 1");
  write("a.yaml", "a: 1\n---\nb: 2");
  write("page.html", "<style>x</style><h2>T</h2><p id='p'>x</p>");
  const value = await valueOf(`
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
    md: "## T\n\nx\n",
  });
  expect(read("l.ndjson")).toBe('{"a":2,"b":1}\n1\n"x"\n');
  expect(read("page.md")).toBe("## T\n\nx\n");
  expect(read("out/page.html")).toBe("<h2>T</h2><p>x</p>");
});

test("nothing outside of the workspace and the packs is read or written, also not through links", async () => {
  const { home, workspace, write } = setUp();
  const secret = write(join(home, "secret.txt"), "secret");
  symlinkSync(secret, join(workspace, "link.txt"));
  symlinkSync(home, join(workspace, "folder"));
  write(join(home, ".aipack-base/pack/installed/ns/p/t.md"), "of the pack");
  const value = (await valueOf(`
    local function try(f, ...) local _, message = pcall(f, ...) return message end
    return {
      try(aip.file.load, "../home/secret.txt"), try(aip.file.load, "~/secret.txt"), try(aip.file.load, "link.txt"),
      try(aip.file.save, "link.txt", "x"), try(aip.file.save, "folder/new.txt", "x"), try(aip.file.save, "/tmp/cadre-x", "x"),
      try(aip.file.delete, "~/secret.txt"), try(aip.file.list, "~/**"), try(aip.file.list, "../**"),
      try(aip.file.save, "ns@p/t.md", "x"), try(aip.file.move, "ns@p$base/a", "b"), try(require, "../../secret"),
      try(aip.cmd.exec, "ls", {}, { cwd = "/" }), try(aip.file.hash_sha256, "link.txt"),
    }`)) as string[];
  for (const message of value) expect(message).toMatch(/outside|lies outside|only files in it/);
  expect(value).toHaveLength(14);
  expect(readFileSync(secret, "utf8")).toBe("secret");
  expect(await valueOf("return aip.file.load('ns@p/t.md').content")).toBe("of the pack");
});

test("packs keep files of their own, and temporary ones", async () => {
  const { read, home } = setUp();
  await valueOf(`
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

test("modules come from the lua folder beside the agent, then from the pack's", async () => {
  const { write, load, port, home } = setUp();
  const folder = join(home, ".aipack-base/pack/installed/ns/p");
  write(
    join(folder, "lua/common.lua"),
    "return { from = 'pack', file = aip.file.load('ns@p/t.md').content, id = CTX.PACK_IDENTITY }",
  );
  write(
    join(folder, "sub/lua/own.lua"),
    "local c = require('common') return { c.from, c.file, c.id, require('deep.inner') }",
  );
  write(join(folder, "sub/lua/deep/inner.lua"), "return 'inner'");
  write(join(folder, "t.md"), "text");
  const path = write(
    join(folder, "sub/main.aip"),
    "# After All\n```lua\nreturn require('own')\n```\n",
  );
  const { runAip } = await import("../run-aip.ts");
  const pack = { namespace: "ns", name: "p", folder };
  const response = await runAip(load(path), { name: "ns@p/sub", pack }, port);
  expect(response.after_all).toEqual(["pack", "text", "ns@p", "inner"]);
  await expect(valueOf("require('nothing')")).rejects.toThrow(
    /module 'nothing' not found; looked for: .*lua\/nothing\.lua/,
  );
});

test("commands and requests need permission, and say what came of them", async () => {
  const { steps } = setUp({
    refuse: ({ kind, subject }) => (subject.includes("rm") ? `${kind} refused` : undefined),
    web: ({ url, method, headers, body }) => ({
      status: url.endsWith("/no") ? 404 : 200,
      url,
      headers: { "content-type": "application/json" },
      content: JSON.stringify({ method, headers, body }),
    }),
  });
  const value = await valueOf(`
    local done = aip.cmd.exec("sh", { "-c", "echo out; echo err >&2; exit 3" })
    local page = aip.web.get("https://e.com/no")
    local sent = aip.web.post("https://e.com/p", { a = 1 }, { parse = true, user_agent = aip.web.UA_BROWSER })
    return {
      done, aip.cmd.exec("echo", "hello world").stdout,
      select(2, pcall(aip.cmd.exec, "rm", { "-r" })), select(2, pcall(aip.cmd.exec, "no-such-command")),
      { page.success, page.status, page.error }, sent.content,
    }`);
  expect(value).toEqual([
    { stdout: "out\n", stderr: "err\n", exit: 3 },
    "hello world\n",
    "command refused",
    "no-such-command cannot be started: ENOENT",
    [false, 404, "HTTP 404"],
    {
      method: "POST",
      headers: {
        "user-agent": expect.stringMatching(/^Mozilla/),
        "content-type": "application/json",
      },
      body: '{"a":1}',
    },
  ]);
  expect(
    steps.flatMap(({ act }) => (act === undefined ? [] : [`${act.kind} ${act.subject}`])),
  ).toEqual([
    "command sh -c echo out; echo err >&2; exit 3",
    "web https://e.com/no",
    "web https://e.com/p",
    "command echo hello world",
    "command rm -r",
    "command no-such-command",
  ]);
});

test("a request to an address that is not public is an error a script can catch", async () => {
  setUp();
  expect(await valueOf("return select(2, pcall(aip.web.get, 'http://127.0.0.1/'))")).toContain(
    "not public",
  );
});

test("another agent gets its inputs and options, and its response comes back", async () => {
  const { called, workspace } = setUp({
    agent: ({ reference }) => ({
      outputs: [null, reference],
      after_all: reference === "a" ? { x: 1 } : null,
    }),
  });
  const value = await valueOf(`
    local a = aip.agent.run("a", { input = "one", inputs = { "two" }, options = { model = "m" } })
    local b = aip.agent.run("ns@b/c", { agent_base_dir = "sub" })
    return { a.after_all.x, is_null(a.outputs[1]), a.outputs[2], b.after_all == nil }`);
  expect(value).toEqual([1, true, "a", true]);
  expect(called).toEqual([
    { reference: "a", from: workspace, inputs: ["one", "two"], options: { model: "m" } },
    { reference: "ns@b/c", from: join(workspace, "sub"), inputs: undefined, options: {} },
  ]);
  await expect(
    valueOf("aip.agent.run('a', { options = { temperature = 'hot' } })"),
  ).rejects.toThrow(/agent\.aip:3 \(# Data\): aip\.agent\.run: the option temperature is wrong/);
});

test("labels, pins and prints are reported with the input they are about", async () => {
  const { reports } = setUp();
  await valueOf(`
    aip.run.set_label("Run") aip.task.pin("p", 2, { label = "L", content = "C" })
    aip.run.pin("q", { score = 1 }) print("hi")`);
  expect(reports).toEqual([
    { type: "label", scope: "run", label: "Run", input: 0 },
    { type: "pin", scope: "task", iden: "p", priority: 2, label: "L", content: "C", input: 0 },
    {
      type: "pin",
      scope: "run",
      iden: "q",
      priority: null,
      label: null,
      content: '{"score":1}',
      input: 0,
    },
    { type: "print", text: "hi", input: 0 },
  ]);
});

test("special files and folders in place of files are refused", async () => {
  const { workspace } = setUp();
  mkdirSync(join(workspace, "dir"));
  expect(
    await valueOf(`return {
      select(2, pcall(aip.file.load, "dir")), select(2, pcall(aip.file.save, "dir", "x")),
      select(2, pcall(aip.file.delete, "dir")), select(2, pcall(aip.file.load, "gone")),
      select(2, pcall(aip.file.load, "a\\0b")), select(2, pcall(aip.file.load, "no@pack/x")) }`),
  ).toEqual([
    "dir is not a file",
    "dir is a folder",
    "dir is a folder; only files are deleted",
    "gone cannot be read: there is no such file",
    expect.stringContaining("NUL"),
    expect.stringContaining("there is no pack no@pack"),
  ]);
});
