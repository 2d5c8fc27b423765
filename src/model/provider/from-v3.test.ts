import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { assistantMessage, systemMessage, toolMessage, userMessage } from "../conversation.ts";
import { fromV3 } from "./from-v3.ts";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const finishReason = { unified: "stop", raw: undefined } as const;
const image = { mediaType: "image/png", data: "iVBORw0KGgo=" };
const file = { type: "file", mediaType: "image/png", data: image.data } as const;
const warning = { type: "other", message: "a warning of its own" } as const;

/** A model of version 3 that answers with a text and a picture, and the calls it got. */
function createOldModel(): { model: LanguageModelV3; calls: LanguageModelV3CallOptions[] } {
  const calls: LanguageModelV3CallOptions[] = [];
  const model: LanguageModelV3 = {
    specificationVersion: "v3",
    provider: "old.chat",
    modelId: "one",
    supportedUrls: {},
    async doGenerate(options) {
      calls.push(options);
      const content = [{ type: "text", text: "hello" } as const, file];
      return { content, finishReason, usage, warnings: [warning] };
    },
    async doStream(options) {
      calls.push(options);
      return {
        stream: new ReadableStream({
          start(controller) {
            controller.enqueue({ type: "stream-start", warnings: [warning] });
            controller.enqueue({ type: "text-start", id: "1" });
            controller.enqueue({ type: "text-delta", id: "1", delta: "hello" });
            controller.enqueue(file);
            controller.enqueue({ type: "finish", finishReason, usage });
            controller.close();
          },
        }),
      };
    },
  };
  return { model, calls };
}

const call = { id: "c1", tool: "Read" };
const prompt = [
  systemMessage("You are one."),
  userMessage("look", [image]),
  assistantMessage({
    parts: [
      { type: "reasoning", text: "hm", metadata: { old: { signature: "s" } } },
      { type: "tool-call", ...call, input: { path: "a.png" } },
    ],
  }),
  toolMessage([{ ...call, text: "the picture", images: [image] }]),
];

test("a model of version 3 gets the conversation in its own form", async () => {
  const { model, calls } = createOldModel();
  const result = await fromV3(model).doGenerate({ prompt, reasoning: "high", temperature: 0.5 });
  expect(calls).toEqual([
    {
      temperature: 0.5,
      prompt: [
        { role: "system", content: "You are one." },
        { role: "user", content: [{ type: "text", text: "look" }, file] },
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "hm", providerOptions: { old: { signature: "s" } } },
            {
              type: "tool-call",
              toolCallId: "c1",
              toolName: "Read",
              input: { path: "a.png" },
            },
          ],
        },
        {
          role: "tool",
          content: [
            {
              type: "tool-result",
              toolCallId: "c1",
              toolName: "Read",
              output: {
                type: "content",
                value: [
                  { type: "text", text: "the picture" },
                  { type: "image-data", mediaType: "image/png", data: image.data },
                ],
              },
            },
          ],
        },
      ],
    },
  ]);
  expect(result).toMatchObject({
    content: [
      { type: "text", text: "hello" },
      { type: "file", data: { type: "data", data: image.data } },
    ],
    warnings: [warning, { type: "unsupported", feature: "reasoning" }],
  });
});

test("its streams have the parts and the warnings of version 4", async () => {
  const { model } = createOldModel();
  const { stream } = await fromV3(model).doStream({ prompt, reasoning: "low" });
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  expect(parts).toMatchObject([
    { type: "stream-start", warnings: [warning, { type: "unsupported", feature: "reasoning" }] },
    { type: "text-start" },
    { type: "text-delta", delta: "hello" },
    { type: "file", data: { type: "data", data: image.data } },
    { type: "finish" },
  ]);
});
