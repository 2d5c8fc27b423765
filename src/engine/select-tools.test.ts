import { describe, expect, test } from "vitest";
import { createTestTool } from "../../test/fixtures/engine-place.ts";
import { findTool, selectTools } from "./select-tools.ts";

const offered = ["Read", "Edit", "Bash", "mcp__git__log", "mcp__git__push"].map((name) =>
  createTestTool(name, () => ""),
);

function select(
  definition: { tools?: string[]; disallowedTools?: string[] },
  parentTools: string[] | null = null,
): { names: string[]; warnings: string[] } {
  const { tools, warnings } = selectTools(
    offered,
    { name: "worker", ...definition },
    { parentTools },
  );
  return { names: [...tools.keys()], warnings };
}

describe("the tools of a run", () => {
  test("are all of them when nothing is said", () => {
    expect(select({}).names).toHaveLength(5);
  });

  test("are those allowed, patterns included, and none when none is allowed", () => {
    expect(select({ tools: ["Read", "mcp__git__*"] }).names).toEqual([
      "Read",
      "mcp__git__log",
      "mcp__git__push",
    ]);
    expect(select({ tools: [] })).toEqual({ names: [], warnings: [] });
  });

  test("are without the disallowed ones, also when those are allowed too", () => {
    const both = { tools: ["Read", "Bash"], disallowedTools: ["Bash", "mcp__*"] };
    expect(select(both).names).toEqual(["Read"]);
    expect(select({ disallowedTools: ["mcp__*", "Bash"] }).names).toEqual(["Read", "Edit"]);
  });

  test("are never all of them because nothing that was asked for is there", () => {
    expect(select({ tools: ["Fly"] })).toEqual({
      names: [],
      warnings: ["Agent worker names tools that are not there: Fly."],
    });
  });

  test("are never more than the parent has, which is said when they were asked for", () => {
    expect(select({ tools: ["Read", "Bash"] }, ["Read", "Edit"])).toEqual({
      names: ["Read"],
      warnings: [
        "Agent worker names tools that its parent does not have, so it did not get them: Bash.",
      ],
    });
    expect(select({}, ["Read"])).toEqual({ names: ["Read"], warnings: [] });
    expect(select({}, []).names).toEqual([]);
  });
});

test("a tool is found by its name in any case, the exact one first", () => {
  const [upper, lower] = [createTestTool("Read", () => ""), createTestTool("read", () => "")];
  const tools = new Map([upper, lower].map((tool) => [tool.name, tool]));
  expect(findTool(tools, "read")).toBe(lower);
  expect(findTool(tools, "READ")).toBe(upper);
  expect(findTool(tools, "Write")).toBeUndefined();
});
