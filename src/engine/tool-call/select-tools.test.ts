import { describe, expect, test } from "vitest";
import { createTestTool } from "../../../test/fixtures/engine-fixture.ts";
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
  test("are all tools by default", () => {
    expect(select({}).names).toHaveLength(5);
  });

  test("are the allowed ones, with patterns, and none if none is allowed", () => {
    expect(select({ tools: ["Read", "mcp__git__*"] }).names).toEqual([
      "Read",
      "mcp__git__log",
      "mcp__git__push",
    ]);
    expect(select({ tools: [] })).toEqual({ names: [], warnings: [] });
  });

  test("exclude the disallowed ones, even if those are allowed too", () => {
    const both = { tools: ["Read", "Bash"], disallowedTools: ["Bash", "mcp__*"] };
    expect(select(both).names).toEqual(["Read"]);
    expect(select({ disallowedTools: ["mcp__*", "Bash"] }).names).toEqual(["Read", "Edit"]);
  });

  test("are empty if no requested tool exists", () => {
    expect(select({ tools: ["Fly"] })).toEqual({
      names: [],
      warnings: ["Agent worker names tools that do not exist: Fly."],
    });
  });

  test("are never more than the parent's, and a missing requested tool is reported", () => {
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
