import { expect, test } from "vitest";
import { type BenchRequest, replyTo } from "./reply.ts";

const user = { role: "user", content: "fan-out 2" };

function tool(name: string, inputs: readonly string[]): NonNullable<BenchRequest["tools"]>[number] {
  const properties = Object.fromEntries(inputs.map((input) => [input, { type: "string" }]));
  return { function: { name, parameters: { properties } } };
}

/** Returns the main agent's second request with these results of its two sub-agents. */
function reported(results: readonly string[]): BenchRequest {
  const tools = [tool("Agent", ["prompt"])];
  const delegations = replyTo({ messages: [user], tools });
  const messages = results.map((content, index) => ({
    role: "tool",
    tool_call_id: `agent-${index}`,
    content,
  }));
  return { messages: [user, delegations, ...messages], tools };
}

test("a main agent delegates all parts at once, in the words of its own tool", () => {
  const { tool_calls: calls = [] } = replyTo({
    messages: [user],
    tools: [tool("agent-sub", ["input", "resourceId"])],
  });
  expect(calls.map((call) => call.function)).toEqual([
    { name: "agent-sub", arguments: '{"input":"work on part 0"}' },
    { name: "agent-sub", arguments: '{"input":"work on part 1"}' },
  ]);
});

test("a main agent ends when every result is that of its part", () => {
  const results = ['{"text":"done: work on part 0."}', "done: work on part 1."];
  expect(replyTo(reported(results)).content).toBe("done: fan-out 2.");
});

test("the result of another part is refused", () => {
  const results = ["done: work on part 0.", "done: work on part 0."];
  expect(() => replyTo(reported(results))).toThrow(
    'The result of call agent-1 must contain "done: work on part 1."; got "done: work on part 0.".',
  );
});

test("a missing result is refused", () => {
  expect(() => replyTo(reported(["done: work on part 0."]))).toThrow("got no result");
});

test("a sub-agent answers after two tool calls whose results it was given", () => {
  const messages: BenchRequest["messages"][number][] = [
    { role: "user", content: [{ text: "go" }] },
  ];
  for (let turn = 0; turn < 2; turn += 1) {
    const reply = replyTo({ messages });
    expect(reply.tool_calls).toHaveLength(1);
    messages.push(reply);
    expect(() => replyTo({ messages })).toThrow('must contain "Noted."');
    messages.push({ role: "tool", tool_call_id: `think-${turn}`, content: "Noted." });
  }
  expect(replyTo({ messages }).content).toBe("done: go.");
});
