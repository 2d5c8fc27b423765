import { expect, test } from "vitest";
import { serverPrefix, toServerName } from "./server-name.ts";

test.each([
  ["github", "github"],
  ["git hub", "git_hub"],
  ["GitHub (beta)", "GitHub_beta"],
  ["a__b", "a_b"],
  ["__", "server"],
  ["…", "server"],
  ["x".repeat(100), "x".repeat(40)],
  [`${"x".repeat(39)}_y`, "x".repeat(39)],
])("the server %s is called %s in the names of its tools", (extension, name) => {
  expect(toServerName(extension)).toBe(name);
  expect(toServerName(name)).toBe(name);
  expect(serverPrefix(extension)).toBe(`mcp__${name}__`);
});
