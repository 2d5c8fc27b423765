import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAipProject } from "../../../test/fixtures/aip/aip-project.ts";
import { writeZip } from "./zip-archive.ts";

/** `d/`, `d/a.txt`, `s.txt` (stored) and `ü.txt`, written by Python's zipfile. */
const foreign =
  "UEsDBBQAAAAIAMoxdl0AAAAAAgAAAAAAAAACAAAAZC8DAFBLAwQUAAAACADKMXZd5E3QWQsAAAA8AAAABwAAAGQvYS50eHTLSM3JyVfIIIsEAFBLAwQUAAAAAAAAACEAz2IgGQUAAAAFAAAABQAAAHMudHh0cGxhaW5QSwMEFAAACAgAyjF2XdVp2WMEAAAAAgAAAAYAAADDvC50eHQ7vAcAUEsBAhQDFAAAAAgAyjF2XQAAAAACAAAAAAAAAAIAAAAAAAAAAAAQAP1BAAAAAGQvUEsBAhQDFAAAAAgAyjF2XeRN0FkLAAAAPAAAAAcAAAAAAAAAAAAAAIABIgAAAGQvYS50eHRQSwECFAMUAAAAAAAAACEAz2IgGQUAAAAFAAAABQAAAAAAAAAAAAAAgAFSAAAAcy50eHRQSwECFAMUAAAICADKMXZd1WnZYwQAAAACAAAABgAAAAAAAAAAAAAAgAF6AAAAw7wudHh0UEsFBgAAAAAEAAQAzAAAAKIAAAAAAA==";

test("archives are created from folders, listed, read and extracted", async () => {
  const project = createAipProject();
  const { write, read, workspace, steps } = project;
  write("src/a.txt", "hello ".repeat(100));
  write("src/in/ü.md", "ü");
  symlinkSync("/etc/passwd", join(workspace, "src/link"));
  writeFileSync(join(workspace, "py.zip"), Buffer.from(foreign, "base64"));
  const value = await project.evaluate(`
    local made = aip.zip.create("src/")
    aip.zip.create("src", "out/some.zip", { globs = { "**/*.md" } })
    local sizes = {}
    for _, file in ipairs(aip.zip.extract("py.zip")) do table.insert(sizes, file.path .. " " .. file.size) end
    return {
      made = { made.path, made.size < 400 }, some = aip.zip.list("out/some.zip"), list = aip.zip.list("src.zip"),
      foreign = aip.zip.list("py.zip"), txt = aip.zip.list("py.zip", { globs = { "*.txt" } }),
      text = aip.zip.read_text("py.zip", "s.txt") .. aip.zip.read_text("src.zip", "in/ü.md"),
      none = aip.zip.read_text("py.zip", "gone") == nil, sizes = sizes,
      part = aip.zip.extract("src.zip", "part", { globs = { "in/*" } })[1].path,
    }`);
  expect(value).toEqual({
    made: ["src.zip", true],
    some: ["in/ü.md"],
    list: ["a.txt", "in/ü.md"],
    foreign: ["d/", "d/a.txt", "s.txt", "ü.txt"],
    txt: ["s.txt", "ü.txt"],
    text: "plainü",
    none: true,
    sizes: ["py/d/a.txt 60", "py/s.txt 5", "py/ü.txt 2"],
    part: "part/in/ü.md",
  });
  expect(read("py/d/a.txt")).toBe("hello ".repeat(10));
  expect(steps.flatMap(({ act }) => (act === undefined ? [] : [act.subject]))).toEqual(
    ["src.zip", "out/some.zip", "py/d/a.txt", "py/s.txt", "py/ü.txt", "part/in/ü.md"].map((path) =>
      join(workspace, path),
    ),
  );
});

test.each(["../x", "/x", "a/../../x", "a\\b", "C:x", "a//b"])(
  "an archive with the entry %s is not extracted",
  async (name) => {
    const project = createAipProject();
    const { workspace, steps } = project;
    const content = Buffer.from("x");
    const files = ["fine", name].map((one) => ({ name: one, content, modified: new Date(0) }));
    writeFileSync(join(workspace, "bad.zip"), writeZip(files));
    const failure = await project.evaluate(`return select(2, pcall(aip.zip.extract, "bad.zip"))`);
    expect(failure).toMatch(/^bad\.zip is not extracted: its entry ".+" is not safe$/);
    expect(steps.filter(({ act }) => act !== undefined)).toEqual([]);
  },
);

test("invalid, broken and refused archives are errors", async () => {
  const project = createAipProject({
    refuse: ({ subject }) => (subject.endsWith("s.txt") ? "not this" : undefined),
  });
  const { workspace, write } = project;
  write("a.txt", "text");
  const bytes = Buffer.from(foreign, "base64");
  writeFileSync(join(workspace, "py.zip"), bytes);
  writeFileSync(join(workspace, "cut.zip"), bytes.subarray(200));
  const changed = Buffer.from(bytes);
  changed.write("PLAIN", bytes.indexOf("plain"));
  writeFileSync(join(workspace, "changed.zip"), changed);
  const value = await project.evaluate(`
    local function failure(...) return select(2, pcall(...)) end
    return {
      failure(aip.zip.list, "a.txt"), failure(aip.zip.list, "gone.zip"), failure(aip.zip.list, "cut.zip"),
      failure(aip.zip.read_text, "changed.zip", "s.txt"), failure(aip.zip.create, "a.txt"),
      failure(aip.zip.extract, "py.zip", "/elsewhere"), failure(aip.zip.extract, "py.zip", "to"),
      failure(aip.zip.list, "py.zip", { globs = "*.txt" }),
    }`);
  expect(value).toEqual([
    "a.txt cannot be read: it is not a ZIP archive",
    "gone.zip cannot be read: there is no such file",
    expect.stringMatching(/^cut\.zip cannot be read: the archive is broken/),
    "changed.zip cannot be read: s.txt is broken",
    "a.txt is not a folder",
    expect.stringContaining("/elsewhere/d/a.txt is outside the workspace"),
    expect.stringContaining("not this"),
    "aip.zip.list: expected the option globs to be a list of strings",
  ]);
});
