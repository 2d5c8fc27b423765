import { expect, it } from "vitest";
import { nameTools } from "./tool-naming.ts";

it("tools are named after their server and themselves", () => {
  const tools = [
    { extension: "git hub", tool: "get.issue" },
    { extension: "a__b", tool: "c__d" },
    { extension: "…", tool: "é" },
  ];
  expect(nameTools(tools)).toEqual(["mcp__git_hub__get_issue", "mcp__a_b__c__d", "mcp__server___"]);
});

it("equal names get distinct hashes, whatever their order", () => {
  const exact = { extension: "x", tool: "a_b" };
  const first = { extension: "x", tool: "a.b" };
  const second = { extension: "x", tool: "a b" };
  const [one, two, three] = nameTools([exact, first, second]);
  expect(one).toBe("mcp__x__a_b");
  expect(new Set([one, two, three]).size).toBe(3);
  expect(nameTools([second, exact, first])).toEqual([three, one, two]);
});

it("a name that is too long is cut, and two with the same beginning stay distinct", () => {
  const names = nameTools([
    { extension: "x", tool: `${"y".repeat(100)}1` },
    { extension: "x", tool: `${"y".repeat(100)}2` },
  ]);
  for (const name of names) expect(name).toHaveLength(64);
  expect(new Set(names).size).toBe(2);
});
