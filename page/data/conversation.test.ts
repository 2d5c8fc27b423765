import { describe, expect, test } from "vitest";
import { addPart, type Block, toMarkdown } from "./conversation.ts";
import type { RunStreamPart } from "./types.ts";

function toBlocks(...parts: object[]): Block[] {
  return parts.reduce<Block[]>(
    (blocks, part) => addPart(blocks, { runId: "r", ...part } as RunStreamPart, "r"),
    [],
  );
}

const text = (piece: string): object => ({ type: "text", id: "1", step: "model/1", text: piece });

describe("a conversation", () => {
  test("joins the pieces of a text, and puts results to their calls", () => {
    const blocks = toBlocks(
      { type: "run-created", parentId: null, step: null, agent: "main", task: "go", label: null },
      text("Hel"),
      text("lo."),
      { type: "tool-call", id: "tool/1/0", tool: "LS", input: { path: "." } },
      { type: "tool-result", id: "tool/1/0", text: "a.txt", isError: false },
    );
    expect(blocks).toMatchObject([
      { kind: "task", text: "go" },
      { kind: "text", text: "Hello." },
      { kind: "call", id: "tool/1/0", result: { text: "a.txt" } },
    ]);
  });

  test("forgets the pieces of a request that is repeated", () => {
    const discarded = { type: "reply-discarded", step: "model/1", reason: "overloaded" };
    expect(toBlocks(text("Hal"), discarded, text("Hello"))).toMatchObject([
      { kind: "note", text: "The request is repeated: overloaded" },
      { kind: "text", text: "Hello" },
    ]);
  });

  test("shows the end of the output of a command until its result is there", () => {
    const parts = [
      { type: "tool-call", id: "c", tool: "Bash", input: { command: "make" } },
      { type: "tool-output", id: "c", text: "x".repeat(9000) },
      { type: "tool-output", id: "c", text: "y".repeat(9000) },
    ];
    const output = `${"x".repeat(1000)}${"y".repeat(9000)}`;
    expect(toBlocks(...parts)).toMatchObject([{ output, result: null }]);
    const result = { type: "tool-result", id: "c", text: "made", isError: false };
    expect(toBlocks(...parts, result)).toMatchObject([{ output: "", result: { text: "made" } }]);
  });

  test("has nothing of other runs", () => {
    expect(toBlocks({ ...text("x"), runId: "other" })).toEqual([]);
  });

  test("is copied as Markdown, with fences that its texts cannot end", () => {
    const blocks = toBlocks(
      { type: "tool-call", id: "c", tool: "Read", input: {} },
      { type: "tool-result", id: "c", text: "```\nx\n```", isError: false },
    );
    expect(toMarkdown(blocks)).toBe("**Read**\n\n```\n{}\n```\n\n````\n```\nx\n```\n````\n");
  });
});
