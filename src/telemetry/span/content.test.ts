import { expect, test } from "vitest";
import { describePrompt, describeReply, shortenContent } from "./content.ts";
import { createContentWriter } from "./redact-content.ts";

test("a conversation has the form of the conventions, with files by their type only", () => {
  const described = describePrompt([
    { role: "system", content: "Be kind." },
    {
      role: "user",
      content: [
        { type: "text", text: "Look." },
        {
          type: "file",
          mediaType: "image/png",
          data: { type: "data", data: new Uint8Array([1, 2, 3]) },
        },
      ],
    },
    {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: "c", toolName: "Read", input: { path: "a" } }],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "c",
          toolName: "Read",
          output: { type: "text", value: "A" },
        },
      ],
    },
  ]);
  expect(described).toEqual({
    "gen_ai.system_instructions": [{ type: "text", content: "Be kind." }],
    "gen_ai.input.messages": [
      {
        role: "user",
        parts: [
          { type: "text", content: "Look." },
          { type: "file", mime_type: "image/png" },
        ],
      },
      {
        role: "assistant",
        parts: [{ type: "tool_call", id: "c", name: "Read", arguments: '{"path":"a"}' }],
      },
      { role: "tool", parts: [{ type: "tool_call_response", id: "c", response: '"A"' }] },
    ],
  });
  expect(describeReply([{ type: "text", text: "Yes." }], "stop")).toEqual({
    "gen_ai.output.messages": [
      { role: "assistant", parts: [{ type: "text", content: "Yes." }], finish_reason: "stop" },
    ],
  });
});

test("a long text is shortened, and says so", () => {
  expect(shortenContent("a".repeat(20_001))).toBe(`${"a".repeat(20_000)}… [1 more characters]`);
});

test("content is written when it is asked for, without the secrets of the environment", () => {
  const environment = {
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "span_only",
    SHOP_API_KEY: 'with"quote-123',
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer t0k3n-value",
    GIT_AUTHOR_NAME: "somebody",
  };
  expect(createContentWriter(undefined, {})).toBeUndefined();
  expect(createContentWriter(false, environment)).toBeUndefined();
  expect(createContentWriter(true, {})?.("hi")).toBe("hi");
  const write = createContentWriter(undefined, environment);
  const text = 'somebody sent with"quote-123 and t0k3n-value';
  expect(write?.({ text })).toBe('{"text":"somebody sent [secret] and [secret]"}');
});
