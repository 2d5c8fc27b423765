import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/security.md"), "utf8");
const rows = page.split("\n").filter((line) => /^\| (?!threat|-)/.test(line));

test("every threat names its defence and an existing test", () => {
  expect(rows.length).toBeGreaterThan(30);
  for (const row of rows) {
    const [threat = "", stop = "", tests = ""] = row.replace(/^\| /, "").split(" | ");
    expect(threat, row).not.toBe("");
    expect(stop, row).not.toBe("");
    const files = [...tests.matchAll(/`((?:src|test)\/[\w./-]+\.test\.ts)`/g)];
    expect(files.length, row).toBeGreaterThan(0);
    for (const [, file = ""] of files) expect(existsSync(join(root, file)), file).toBe(true);
  }
});

test("every attack test is listed", () => {
  const files = readdirSync(join(root, "test/attack")).filter((name) => name.endsWith(".test.ts"));
  const missing = files.filter((name) => !page.includes(`\`test/attack/${name}\``));
  expect(missing).toEqual([]);
});
