import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createToolFixture, type ToolFixture } from "../../../test/fixtures/tool-call.ts";
import { createDirectoryTreeTool } from "./directory-tree.ts";
import { createGlobTool } from "./glob.ts";
import { createLsTool } from "./ls.ts";

const [glob, ls, tree] = [createGlobTool(), createLsTool(), createDirectoryTreeTool()];

function createFixture(): ToolFixture {
  const fixture = createToolFixture();
  mkdirSync(join(fixture.workspace, "src/deep"), { recursive: true });
  mkdirSync(join(fixture.workspace, "node_modules/m"), { recursive: true });
  const names = ["a.ts", "src/b.ts", "src/deep/c.ts", "src/d.js", "node_modules/m/e.ts", "out.ts"];
  names.forEach((name, age) => {
    writeFileSync(join(fixture.workspace, name), "x".repeat(age * 1000));
    utimesSync(join(fixture.workspace, name), 1000 - age, 1000 - age);
  });
  writeFileSync(join(fixture.workspace, ".gitignore"), "out.ts\n");
  symlinkSync("/etc", join(fixture.workspace, "etc"));
  return fixture;
}

test("finds files by pattern, newest first, without ignored files", async () => {
  const fixture = createFixture();
  expect((await fixture.call(glob, { pattern: "**/*.ts" })).text).toBe(
    "a.ts\nsrc/b.ts\nsrc/deep/c.ts",
  );
  expect((await fixture.call(glob, { pattern: "*.ts", path: "src" })).text).toBe("src/b.ts");
  expect((await fixture.call(glob, { pattern: `${fixture.workspace}/src/*` })).text).toBe(
    "src/b.ts\nsrc/d.js",
  );
  expect((await fixture.call(glob, { pattern: "src/**/*.{js,ts}" })).text.split("\n")).toHaveLength(
    3,
  );
});

test("suggests a deeper search when no file matches", async () => {
  const { text } = await createFixture().call(glob, { pattern: "c.ts" });
  expect(text).toContain("use **/c.ts");
});

test("refuses exponential patterns and paths that are not folders", async () => {
  const fixture = createFixture();
  expect((await fixture.call(glob, { pattern: "*a*a*a*a*a*a*a*b" })).text).toContain("too complex");
  expect((await fixture.call(glob, { pattern: "+(+(a)*)b" })).text).toContain("too complex");
  expect((await fixture.call(glob, { pattern: "*", path: "a.ts" })).text).toContain(
    "is not a folder",
  );
  expect((await fixture.call(glob, { pattern: "*", path: "etc" })).text).toContain(
    "outside the workspace",
  );
  expect((await fixture.call(glob, { pattern: "../*" })).text).toContain("No file matches");
});

test("lists a folder with sizes and the targets of its links", async () => {
  const { text } = await createFixture().call(ls, {});
  expect(text.split("\n").slice(1)).toEqual([
    ".gitignore  7 B",
    "a.ts  0 B",
    "etc -> /etc",
    "node_modules/",
    "out.ts  4.9 KiB",
    "src/",
  ]);
  expect((await createFixture().call(ls, { path: "src/deep" })).text).toContain("c.ts  2.0 KiB");
  expect((await createFixture().call(ls, { path: "nowhere" })).text).toContain("does not exist");
});

test("quotes a name that contains a newline", async () => {
  const fixture = createToolFixture();
  writeFileSync(join(fixture.workspace, "a\nb"), "");
  expect((await fixture.call(ls, {})).text.split("\n")[1]).toBe(String.raw`"a\nb"  0 B`);
});

test("shows a folder as a tree to the requested depth, without ignored files", async () => {
  const fixture = createFixture();
  const { text } = await fixture.call(tree, { depth: 2 });
  expect(text).toBe(
    `${fixture.workspace}/\n  .gitignore  7 B\n  a.ts  0 B\n  etc (symlink)\n  src/\n    b.ts  1000 B\n    d.js  2.9 KiB\n    deep/`,
  );
});

test("cuts a folder of 10,000 entries", async () => {
  const fixture = createToolFixture();
  mkdirSync(join(fixture.workspace, "many"));
  for (let count = 0; count < 10_000; count += 1)
    writeFileSync(join(fixture.workspace, `many/${count}`), "");
  expect((await fixture.call(ls, { path: "many" })).text).toContain(
    "[9000 of 10000 entries not shown",
  );
  expect((await fixture.call(tree, {})).text).toContain("[and 9900 more]");
  const found = await fixture.call(glob, { pattern: "many/*" });
  expect(found.text).toContain("[The newest 200 of 10000 files");
});
