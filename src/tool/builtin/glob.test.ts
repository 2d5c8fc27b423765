import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createToolPlace, type ToolPlace } from "../../../test/fixtures/tool-call.ts";
import { createDirectoryTreeTool } from "./directory-tree.ts";
import { createGlobTool } from "./glob.ts";
import { createLsTool } from "./ls.ts";

const [glob, ls, tree] = [createGlobTool(), createLsTool(), createDirectoryTreeTool()];

function createFixture(): ToolPlace {
  const place = createToolPlace();
  mkdirSync(join(place.workspace, "src/deep"), { recursive: true });
  mkdirSync(join(place.workspace, "node_modules/m"), { recursive: true });
  const names = ["a.ts", "src/b.ts", "src/deep/c.ts", "src/d.js", "node_modules/m/e.ts", "out.ts"];
  names.forEach((name, age) => {
    writeFileSync(join(place.workspace, name), "x".repeat(age * 1000));
    utimesSync(join(place.workspace, name), 1000 - age, 1000 - age);
  });
  writeFileSync(join(place.workspace, ".gitignore"), "out.ts\n");
  symlinkSync("/etc", join(place.workspace, "etc"));
  return place;
}

test("finds files by pattern, newest first, without ignored files", async () => {
  const place = createFixture();
  expect((await place.call(glob, { pattern: "**/*.ts" })).text).toBe(
    "a.ts\nsrc/b.ts\nsrc/deep/c.ts",
  );
  expect((await place.call(glob, { pattern: "*.ts", path: "src" })).text).toBe("src/b.ts");
  expect((await place.call(glob, { pattern: `${place.workspace}/src/*` })).text).toBe(
    "src/b.ts\nsrc/d.js",
  );
  expect((await place.call(glob, { pattern: "src/**/*.{js,ts}" })).text.split("\n")).toHaveLength(
    3,
  );
});

test("suggests a deeper search when no file matches", async () => {
  const { text } = await createFixture().call(glob, { pattern: "c.ts" });
  expect(text).toContain("use **/c.ts");
});

test("refuses exponential patterns and paths that are not folders", async () => {
  const place = createFixture();
  expect((await place.call(glob, { pattern: "*a*a*a*a*a*a*a*b" })).text).toContain("too complex");
  expect((await place.call(glob, { pattern: "+(+(a)*)b" })).text).toContain("too complex");
  expect((await place.call(glob, { pattern: "*", path: "a.ts" })).text).toContain(
    "is not a folder",
  );
  expect((await place.call(glob, { pattern: "*", path: "etc" })).text).toContain(
    "outside the workspace",
  );
  expect((await place.call(glob, { pattern: "../*" })).text).toContain("No file matches");
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
  const place = createToolPlace();
  writeFileSync(join(place.workspace, "a\nb"), "");
  expect((await place.call(ls, {})).text.split("\n")[1]).toBe(String.raw`"a\nb"  0 B`);
});

test("shows a folder as a tree to the requested depth, without ignored files", async () => {
  const place = createFixture();
  const { text } = await place.call(tree, { depth: 2 });
  expect(text).toBe(
    `${place.workspace}/\n  .gitignore  7 B\n  a.ts  0 B\n  etc (symlink)\n  src/\n    b.ts  1000 B\n    d.js  2.9 KiB\n    deep/`,
  );
});

test("cuts a folder of 10,000 entries", async () => {
  const place = createToolPlace();
  mkdirSync(join(place.workspace, "many"));
  for (let count = 0; count < 10_000; count += 1)
    writeFileSync(join(place.workspace, `many/${count}`), "");
  expect((await place.call(ls, { path: "many" })).text).toContain(
    "[9000 of 10000 entries not shown",
  );
  expect((await place.call(tree, {})).text).toContain("[and 9900 more]");
  const found = await place.call(glob, { pattern: "many/*" });
  expect(found.text).toContain("[The newest 200 of 10000 files");
});
