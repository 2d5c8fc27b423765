import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeMissingPackage, installCommand } from "./missing-package.ts";

test("a missing package is installed where Cadre is: globally, or in the project", () => {
  const folder = mkdtempSync(join(tmpdir(), "cadre-package-"));
  const file = join(folder, "node_modules", "cadre", "dist", "chunk", "start.js");
  expect(installCommand("pg", file)).toBe("npm install -g pg");
  writeFileSync(join(folder, "package.json"), "{}");
  expect(installCommand("pg", file)).toBe("npm install pg");
});

test("a checkout of Cadre is a project", () => {
  expect(describeMissingPackage("Workers need", "pg", 8)).toBe(
    "Workers need the package pg, version 8, which is not installed beside Cadre. Install it with `npm install pg`",
  );
});
