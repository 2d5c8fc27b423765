import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hashPage } from "../../scripts/hash-page.ts";
import { root } from "../cli/command-line.ts";

test("the pictures of the page show its current state; npm run draw:page draws them again", () => {
  expect(readFileSync(join(root, "docs", "page.sha256"), "utf8").trim()).toBe(hashPage());
});
