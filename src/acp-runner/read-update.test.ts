import { describe, expect, test } from "vitest";
import { readCall, readUpdate } from "./read-update.ts";

const read = (update: unknown): unknown => readUpdate({ sessionId: "s", update }, "s");

describe("a report of an agent", () => {
  test("is text, with its message", () => {
    const content = { type: "text", text: "hi" };
    const chunk = { sessionUpdate: "agent_message_chunk", content };
    expect(read(chunk)).toEqual({ type: "text", text: "hi", message: null });
    expect(read({ ...chunk, messageId: "m" })).toMatchObject({ message: "m" });
  });

  test("is a call with its title in one line, without control characters", () => {
    const call = {
      sessionUpdate: "tool_call",
      toolCallId: "1",
      title: "Edit\n\u001B[31ma.ts",
      kind: "edit",
      status: "completed",
      locations: [{ path: "/w/a.ts", line: 3 }, { path: "/w/b.ts" }],
      content: [
        { type: "diff", path: "/w/a.ts", newText: "x" },
        { type: "content", content: { type: "text", text: "ok" } },
        { type: "terminal", terminalId: "t" },
      ],
      rawInput: { file_path: "/w/c.ts" },
    };
    expect(read(call)).toEqual({
      type: "call",
      call: {
        id: "1",
        title: "Edit a.ts",
        kind: "edit",
        status: "completed",
        text: "changed /w/a.ts\nok",
        paths: ["/w/a.ts", "/w/b.ts", "/w/c.ts"],
        changed: ["/w/a.ts"],
        input: { file_path: "/w/c.ts" },
        hasTerminal: true,
      },
    });
    expect(readCall({ toolCallId: "1", status: "completed" })).toEqual({
      id: "1",
      status: "completed",
    });
    const moved = { toolCallId: "2", kind: "move", locations: [{ path: "/w/d" }] };
    expect(readCall(moved)).toMatchObject({ changed: ["/w/d"] });
  });

  test.each([
    ["out", "out"],
    [{ output: "out", exit_code: 0 }, "out"],
    [{ content: "out" }, "out"],
    [{ message: "blocked", code: "denied" }, "blocked"],
    [{ exit_code: 0 }, undefined],
    [["out"], undefined],
  ])("takes a tool's output from its other fields when the content is empty: %j", (raw, text) => {
    expect(readCall({ toolCallId: "1", rawOutput: raw, content: [] })?.text).toBe(text);
  });

  test("may have its output in parts, as Codex does", () => {
    const meta = { terminal_output_delta: { data: "a\n", terminal_id: "1" } };
    expect(readCall({ toolCallId: "1", _meta: meta })).toEqual({ id: "1", part: "a\n" });
  });

  test("has its name as the title when the title is only its arguments", () => {
    const meta = { toolName: "mcp__echo__shout" };
    const call = readCall({ toolCallId: "1", title: '{"text":"hi"}', _meta: meta });
    expect(call).toEqual({ id: "1", name: "mcp__echo__shout" });
  });

  test("is its plan and its cost", () => {
    const entries = [{ content: "look", status: "completed", priority: "low" }, 7, {}];
    expect(read({ sessionUpdate: "plan", entries })).toEqual({
      type: "plan",
      entries: [
        { content: "look", status: "completed" },
        { content: "", status: "pending" },
      ],
    });
    const cost = { amount: 0.5, currency: "USD" };
    expect(read({ sessionUpdate: "usage_update", cost })).toEqual({ type: "cost", usd: 0.5 });
  });

  test("reports an error of the agent, in Codex's form", () => {
    const health = (type: string): unknown =>
      read({ sessionUpdate: "session_info_update", _meta: { codex: { threadStatus: { type } } } });
    expect(health("systemError")).toEqual({ type: "health", isBroken: true });
    expect(health("active")).toEqual({ type: "health", isBroken: false });
  });

  test.each([
    [null],
    [[]],
    ["text"],
    [{}],
    [{ sessionUpdate: "of tomorrow" }],
    [{ sessionUpdate: "session_info_update", title: "t", _meta: { codex: 1 } }],
    [{ sessionUpdate: "agent_message_chunk" }],
    [{ sessionUpdate: "agent_message_chunk", content: { type: "text", text: 7 } }],
    [{ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "" } }],
    [{ sessionUpdate: "agent_message_chunk", content: { type: "image", data: "" } }],
    [{ sessionUpdate: "tool_call", title: "no id" }],
    [{ sessionUpdate: "usage_update", cost: { amount: "1", currency: "USD" } }],
    [{ sessionUpdate: "usage_update", cost: { amount: -1, currency: "USD" } }],
    [{ sessionUpdate: "usage_update", cost: { amount: 1, currency: "EUR" } }],
  ])("counts only as activity when it is not understood: %j", (update) => {
    expect(read(update)).toEqual({ type: "other" });
  });

  test("of another session, or of no session, counts only as activity", () => {
    const update = {
      sessionUpdate: "agent_message_chunk",
      content: { type: "text", text: "hi" },
    };
    expect(readUpdate({ sessionId: "other", update }, "s")).toEqual({ type: "other" });
    expect(readUpdate(undefined, "s")).toEqual({ type: "other" });
  });

  test("keeps the valid parts of lists and fields with unexpected shapes", () => {
    const odd = { toolCallId: "1", title: 7, status: "lost", content: {}, locations: [null, 1] };
    expect(readCall(odd)).toEqual({ id: "1" });
    const many = Array.from({ length: 1000 }, (_, index) => ({ path: `/${index}` }));
    expect(readCall({ toolCallId: "1", locations: many })?.paths).toHaveLength(200);
  });
});
