import type { LanguageModelV4Content, LanguageModelV4Usage } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import type { ProviderResult } from "./collect-stream.ts";
import { assistantMessage, userMessage } from "../conversation.ts";
import type { ModelRequest, ReplyPart } from "../model.ts";
import { type ReadReply, readReply } from "./read-reply.ts";
import { wireName } from "../wire-name.ts";

const usage: LanguageModelV4Usage = {
  inputTokens: { total: 7_000, noCache: 1_000, cacheRead: 4_000, cacheWrite: 2_000 },
  outputTokens: { total: 500, text: 400, reasoning: 100 },
};
const question: ModelRequest = { prompt: [userMessage("Hello?")], tools: [] };

describe("tool calls", () => {
  test("have parsed arguments, an empty object where there are none", () => {
    expect(partsOf(read([call("a", '{"x":1}'), call("b", "")]))).toMatchObject([
      { type: "tool-call", id: "a", input: { x: 1 } },
      { type: "tool-call", id: "b", input: {} },
    ]);
  });

  test("with arguments that are not JSON are kept as text", () => {
    expect(partsOf(read([call("a", "{oops")]))).toMatchObject([
      { type: "malformed-tool-call", id: "a", tool: "Read", text: "{oops" },
    ]);
  });

  test("at the end of a reply cut at the output limit are malformed", () => {
    const result = read([call("a", "{}"), call("b", '{"x":1}')], "length");
    expect(result).toMatchObject({ reply: { finish: "length" } });
    expect(partsOf(result).map((part) => part.type)).toEqual(["tool-call", "malformed-tool-call"]);
  });

  test("get ids that are unique in the reply and the conversation, and that providers accept", () => {
    const earlier = assistantMessage({
      parts: [{ type: "tool-call", id: "call_0", tool: "Read", input: {} }],
    });
    const prompt = [...question.prompt, earlier];
    const ids = partsOf(
      read(
        [
          call("call_0", "{}"),
          call("call_0", "{}"),
          call("", "{}"),
          call("a b/ü".repeat(20), "{}"),
        ],
        "tool-calls",
        { ...question, prompt },
      ),
    ).map((part) => ("id" in part ? part.id : ""));
    expect(ids.slice(0, 3)).toEqual(["call_0_2", "call_0_3", "call_2"]);
    expect(ids[3]).toMatch(/^[\w-]{1,64}$/);
  });

  test("have the tool name that Cadre uses", () => {
    const name = "mcp__files.and folders__read";
    const tools = [{ name, description: "", inputSchema: {} }];
    const result = read([{ ...call("a", "{}"), toolName: wireName(name) }], "stop", {
      ...question,
      tools,
    });
    expect(partsOf(result)).toMatchObject([{ tool: name }]);
    expect(result).toMatchObject({ reply: { finish: "tool-calls" } });
  });
});

describe("an unusable answer:", () => {
  test.each(["other", "error", "interrupted"] as const)("one that stopped with %s", (unified) => {
    expect(read([text("Hi.")], unified)).toMatchObject({ problem: "abnormal-finish" });
  });

  test.each([[[]], [[text(" \n")]], [[{ type: "reasoning" as const, text: "Hm." }]]])(
    "one without text or calls: %j",
    (content) => {
      expect(read(content)).toMatchObject({ problem: "empty" });
    },
  );
});

test("complete calls with a reason of the server's own make a reply", () => {
  expect(read([call("a", "{}")], "other", question, "FUNCTION_CALL")).toMatchObject({
    reply: { finish: "tool-calls" },
  });
  expect(read([call("a", "{}")], "other", question, "MALFORMED_FUNCTION_CALL")).toMatchObject({
    problem: "abnormal-finish",
  });
});

test("reasoning without text is kept for its metadata, and empty text is dropped", () => {
  const providerMetadata = { anthropic: { redactedData: "x", nothing: undefined } };
  const reasoning = { type: "reasoning" as const, text: "", providerMetadata };
  expect(partsOf(read([reasoning, text(""), text("Hi.")]))).toStrictEqual([
    { type: "reasoning", text: "", metadata: { anthropic: { redactedData: "x" } } },
    { type: "text", text: "Hi." },
  ]);
});

test("tokens are counted, and an invalid count is 0", () => {
  expect(read([text("Hi.")])).toMatchObject({
    usage: {
      inputTokens: 7_000,
      outputTokens: 500,
      cacheReadTokens: 4_000,
      cacheWriteTokens: 2_000,
      reasoningTokens: 100,
    },
  });
  const broken = {
    inputTokens: { total: Number.NaN, noCache: undefined, cacheRead: -5, cacheWrite: undefined },
    outputTokens: { total: undefined, text: 3, reasoning: undefined },
  };
  expect(read([text("Hi.")], "stop", question, undefined, broken)).toMatchObject({
    usage: { inputTokens: 0, outputTokens: 3, cacheReadTokens: 0 },
  });
});

test.each([
  [{ type: "unsupported", feature: "topK" }, "topK is not supported"],
  [
    { type: "compatibility", feature: "propertyNames", details: "It was removed." },
    "propertyNames is not fully supported: It was removed.",
  ],
  [{ type: "deprecated", setting: "user", message: "Use `id`." }, "user is deprecated: Use `id`."],
  [{ type: "other", message: "Anything." }, "Anything."],
] as const)("a provider's warning %j reads: %s", (warning, words) => {
  const finishReason = { unified: "stop", raw: undefined } as const;
  const result = { content: [text("Hi.")], finishReason, usage, warnings: [warning] };
  expect(readReply(result, question)).toMatchObject({ reply: { warnings: [words] } });
});

function read(
  content: LanguageModelV4Content[],
  unified: ProviderResult["finishReason"]["unified"] = "stop",
  ...[request = question, raw, counted = usage]: [ModelRequest?, string?, LanguageModelV4Usage?]
): ReadReply {
  return readReply(
    { content, finishReason: { unified, raw }, usage: counted, warnings: [] },
    request,
  );
}

function partsOf(result: ReadReply): readonly ReplyPart[] {
  return "reply" in result ? result.reply.parts : [];
}

function call(
  toolCallId: string,
  input: string,
): Extract<LanguageModelV4Content, { type: "tool-call" }> {
  return { type: "tool-call", toolCallId, toolName: "Read", input };
}

function text(content: string): LanguageModelV4Content {
  return { type: "text", text: content };
}
