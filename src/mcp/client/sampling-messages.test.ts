import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { toSamplingParams } from "./sampling-messages.ts";

const call: LanguageModelV4CallOptions = {
  prompt: [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "What is this?" },
        { type: "file", mediaType: "image/png", data: { type: "data", data: "aGk=" } },
      ],
    },
  ],
};
const text = { type: "text", text: "What is this?" };
const image = { type: "image", data: "aGk=", mimeType: "image/png" };

test("each part is a separate message for clients without messages of several parts", () => {
  const { messages, systemPrompt } = toSamplingParams(call, false);
  expect(messages).toEqual([
    { role: "user", content: text },
    { role: "user", content: image },
  ]);
  expect(systemPrompt).toBe("Be brief.");
});

test("parts stay together for clients with tools in sampling", () => {
  expect(toSamplingParams(call, true).messages).toEqual([{ role: "user", content: [text, image] }]);
});
