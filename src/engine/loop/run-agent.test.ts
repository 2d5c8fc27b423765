import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import {
  createEngineFixture,
  createTestTool,
  type EngineFixture,
} from "../../../test/fixtures/engine-fixture.ts";
import { createScriptedModel, type Script } from "../../model/script/scripted-model.ts";

/** An engine whose model records its requests. */
function createWatchedFixture(script: Script): {
  fixture: EngineFixture;
  prompts: LanguageModelV4Prompt[];
} {
  const prompts: LanguageModelV4Prompt[] = [];
  const language = createScriptedModel(script);
  const fixture = createEngineFixture({
    tools: [createTestTool("Echo", (value) => `echo ${value}`)],
    resolveModel: async () => ({
      id: "scripted:test",
      price: null,
      contextTokens: 100_000,
      language: {
        ...language,
        async doGenerate(call) {
          prompts.push(call.prompt);
          return await language.doGenerate(call);
        },
      },
    }),
  });
  return { fixture, prompts };
}

describe("the images of a run", () => {
  test("are part of its first message", async () => {
    const { fixture, prompts } = createWatchedFixture(() => ({ text: "a cat" }));
    const content = fixture.registry.putContent({ data: "aGk=" });
    await fixture.run({ task: "what is it?", images: [{ mediaType: "image/png", content }] });
    expect(prompts[0]?.[1]).toEqual({
      role: "user",
      content: [
        { type: "text", text: "what is it?" },
        { type: "file", mediaType: "image/png", data: { type: "data", data: "aGk=" } },
      ],
    });
  });

  test("that the registry does not have make it fail with a message", async () => {
    const { fixture, prompts } = createWatchedFixture(() => ({ text: "a cat" }));
    const result = await fixture.run({ images: [{ mediaType: "image/png", content: "gone" }] });
    expect(result).toMatchObject({ status: "failed", failure: { code: "internal" } });
    expect(result.failure?.message).toContain("The registry has lost an image of the task");
    expect(prompts).toEqual([]);
  });
});

describe("a run with a summary", () => {
  const calling = { tool: "Echo", input: { value: "a" } };
  const script: Script = ({ turn }) =>
    turn === 0 ? { text: "Let me see.", calls: [calling] } : { text: "It is a." };
  const system = (prompts: LanguageModelV4Prompt[]): string => JSON.stringify(prompts[0]?.[0]);

  test("gets the instruction for its last message at the end, and that message is its text", async () => {
    const { fixture, prompts } = createWatchedFixture(script);
    expect(await fixture.run({ summary: true })).toMatchObject({ text: "It is a." });
    expect(system(prompts)).toMatch(
      /# Environment.*will only receive your final message.*comprehensive summary of/,
    );
  });

  test("gets no instruction for it if the option is unset", async () => {
    const { fixture, prompts } = createWatchedFixture(script);
    expect(await fixture.run()).toMatchObject({ text: "It is a." });
    expect(system(prompts)).not.toContain("comprehensive summary");
  });

  test("that is turned off returns all its text and tool results, in order", async () => {
    const { fixture, prompts } = createWatchedFixture(script);
    const { text } = await fixture.run({ summary: false });
    expect(text).toBe("Let me see.\n\nTool result (Echo):\necho a\n\nIt is a.");
    expect(system(prompts)).not.toContain("comprehensive summary");
  });

  test("that is turned off returns the beginning and end of a long text, and where the rest is", async () => {
    const { fixture } = createWatchedFixture(({ turn }) =>
      turn < 9 ? { text: `${turn} ${"x".repeat(20_000)}`, calls: [calling] } : { text: "The end." },
    );
    const { text, runId } = await fixture.run({ summary: false });
    expect(text.length).toBeLessThanOrEqual(100_000);
    expect(text).toMatch(/^0 x/);
    expect(text).toMatch(/The end\.$/);
    expect(text).toContain(`characters left out. \`cadre events ${runId} --json\` has all of it.`);
  });

  test("joins a continued answer that was cut", async () => {
    const { fixture } = createWatchedFixture(({ turn }) =>
      turn === 0 ? { text: "one ", finish: "length" } : { text: "two" },
    );
    expect(await fixture.run({ summary: false })).toMatchObject({ text: "one two" });
  });
});
