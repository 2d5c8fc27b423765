import { expect, test } from "vitest";
import { checkWire } from "./strict-wire-checker.ts";

const ask = { role: "user", content: "Hello?" };
const call = { type: "tool_use", id: "a", name: "Read", input: {} };
const calls = { role: "assistant", content: [call] };
const result = { type: "tool_result", tool_use_id: "a", content: "x" };
const results = { role: "user", content: [result] };
const again = { role: "assistant", content: "Done." };

function anthropic(messages: unknown[], more: Record<string, unknown> = {}): string[] {
  return checkWire("anthropic", { max_tokens: 1, messages, ...more });
}

test("a valid conversation has no problems", () => {
  expect(anthropic([ask, calls, results, again, ask])).toEqual([]);
});

test.each([
  ["a call without an answer", [ask, calls], /never answered/],
  ["a call answered late", [ask, calls, ask, again, results], /answered 0 times/],
  [
    "a call answered twice",
    [ask, calls, { role: "user", content: [result, result] }],
    /answered 2 times/,
  ],
  ["an answer without a call", [ask, again, results], /answers no call/],
  [
    "text before the answer",
    [ask, calls, { role: "user", content: [{ type: "text", text: "x" }, result] }],
    /before the answers/,
  ],
  ["two turns of one side", [ask, ask], /out of order/],
  ["a beginning by the model", [again, ask], /out of order/],
  ["an id used again", [ask, calls, results, calls, results], /again/],
  ["an empty text", [{ role: "user", content: " " }], /empty block/],
  ["an empty turn", [{ role: "user", content: [] }], /is empty/],
  [
    "arguments that are no object",
    [ask, { role: "assistant", content: [{ ...call, input: "x" }] }, results],
    /no object/,
  ],
  [
    "a name with a space",
    [ask, { role: "assistant", content: [{ ...call, name: "a b" }] }, results],
    /calls a b/,
  ],
  [
    "a thought without a signature",
    [ask, { role: "assistant", content: [{ type: "thinking" }] }],
    /signature/,
  ],
  [
    "an invalid picture",
    [
      {
        role: "user",
        content: [{ type: "image", source: { media_type: "text/plain", data: "?" } }],
      },
    ],
    /not base64/,
  ],
])("finds %s", (_, messages, problem) => {
  expect(anthropic(messages).join("\n")).toMatch(problem);
});

test("finds tools without an object schema, with bad names, and twice", () => {
  const tool = { name: "a.b", input_schema: {} };
  expect(anthropic([ask], { tools: [tool, tool] })).toHaveLength(5);
});

test("finds the same in the other formats", () => {
  const chatCall = { id: "a", function: { name: "Read", arguments: "{oops" } };
  const chat = { messages: [ask, { role: "assistant", content: null, tool_calls: [chatCall] }] };
  expect(checkWire("openai-chat", chat)).toEqual([
    "arguments that are not JSON",
    "the calls a are never answered",
  ]);
  const reasoning = { type: "reasoning", id: "r", summary: [] };
  const output = { type: "function_call_output", call_id: "b", output: "x" };
  const input = [{ role: "user", content: "Hello?" }, reasoning, output];
  expect(checkWire("openai-responses", { store: false, input })).toEqual([
    "a thought that the server has not stored",
    "turn 0: b answers no call right before it",
    "turn 0: something is said before the answers",
  ]);
  const functionCall = { functionCall: { name: "Read", args: {} } };
  const contents = [
    { role: "user", parts: [{ text: "Hello?" }] },
    { role: "model", parts: [functionCall, functionCall] },
    { role: "user", parts: [{ functionResponse: { name: "Read", response: {} } }] },
  ];
  expect(checkWire("gemini", { contents })).toEqual(["turn 2: the call 1_1 is answered 0 times"]);
});
