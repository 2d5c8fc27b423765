import { expect, test } from "vitest";
import { assistantMessage, toolMessage, userMessage } from "./conversation.ts";

test("a reply is returned to the model with its metadata and without empty texts", () => {
  const message = assistantMessage({
    parts: [
      { type: "reasoning", text: "Hm.", metadata: { anthropic: { signature: "s" } } },
      { type: "text", text: " " },
      {
        type: "tool-call",
        id: "a",
        tool: "Read",
        input: { path: "x" },
        metadata: { google: { t: 1 } },
      },
    ],
  });
  expect(message.content).toEqual([
    { type: "reasoning", text: "Hm.", providerOptions: { anthropic: { signature: "s" } } },
    {
      type: "tool-call",
      toolCallId: "a",
      toolName: "Read",
      input: { path: "x" },
      providerOptions: { google: { t: 1 } },
    },
  ]);
});

test("arguments that are not an object, and invalid names, are returned in an accepted form", () => {
  const message = assistantMessage({
    parts: [
      { type: "tool-call", id: "a", tool: "my tool", input: "x" },
      { type: "malformed-tool-call", id: "b", tool: "Read", text: "{oops" },
    ],
  });
  expect(message.content).toMatchObject([
    { toolName: expect.stringMatching(/^my_tool_[0-9a-f]{8}$/), input: { value: "x" } },
    { toolName: "Read", input: { unreadable_arguments: "{oops" } },
  ]);
  const answered = toolMessage([{ id: "a", tool: "my tool", text: "No such tool." }]);
  const [call] = message.content as { toolName: string }[];
  expect(answered.content).toMatchObject([{ toolName: call?.toolName }]);
});

test("no message is empty", () => {
  const empty = [{ type: "text", text: "(empty)" }];
  expect(assistantMessage({ parts: [] }).content).toEqual(empty);
  expect(userMessage(" ").content).toEqual(empty);
  const [result] = toolMessage([{ id: "a", tool: "Read", text: "" }]).content;
  expect(result).toMatchObject({ output: { type: "text", value: "(empty)" } });
});

test("an answer carries the pictures and the failure of a tool", () => {
  const image = { mediaType: "image/png", data: "AAAA" };
  const { content } = toolMessage([
    { id: "a", tool: "Read", text: "a picture", images: [image] },
    { id: "b", tool: "Read", text: "no such file", isError: true },
  ]);
  expect(content).toMatchObject([
    {
      output: {
        type: "content",
        value: [
          { type: "text", text: "a picture" },
          { type: "file", mediaType: "image/png", data: { type: "data", data: "AAAA" } },
        ],
      },
    },
    { output: { type: "error-text", value: "no such file" } },
  ]);
});
