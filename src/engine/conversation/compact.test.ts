import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { samples } from "../../../test/is-long.ts";
import {
  assistantMessage,
  systemMessage,
  toolMessage,
  userMessage,
} from "../../model/conversation.ts";
import { estimateTokens } from "../../model/request/estimate-tokens.ts";
import { compactConversation, isKept } from "./compact.ts";
import type { CompactSize } from "../../run/event.ts";
import { toInboxMessage } from "./inbox-message.ts";

/** A conversation in which each turn calls tools that give results of these sizes. */
function createPrompt(turns: readonly (readonly number[])[]): LanguageModelV4Prompt {
  const prompt = [systemMessage("You do it."), userMessage("do it")];
  for (const [turn, sizes] of turns.entries()) {
    const id = (index: number): string => `call-${turn}-${index}`;
    prompt.push(
      assistantMessage({
        parts: sizes.map((_, index) => ({
          type: "tool-call",
          id: id(index),
          tool: "Read",
          input: {},
        })),
      }),
      toolMessage(
        sizes.map((size, index) => ({ id: id(index), tool: "Read", text: "x".repeat(size) })),
      ),
    );
  }
  return prompt;
}

/** The ids of the calls and of the results, in order. */
function idsOf(prompt: LanguageModelV4Prompt): { calls: string[]; results: string[] } {
  const calls: string[] = [];
  const results: string[] = [];
  for (const message of prompt) {
    if (typeof message.content === "string") continue;
    for (const part of message.content) {
      if (part.type === "tool-call") calls.push(part.toolCallId);
      if (part.type === "tool-result") results.push(part.toolCallId);
    }
  }
  return { calls, results };
}

const turns = fc.array(
  fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 3 }),
  { minLength: 1, maxLength: 12 },
);

/** Both sizes the same. */
function to(tokens: number): CompactSize {
  return { target: tokens, limit: tokens };
}

const result = (id: string, text: string): LanguageModelV4Message =>
  toInboxMessage({ id, kind: "result", from: "worker", text });

describe("compacting", () => {
  test("keeps every call with its result, and the instructions", () => {
    fc.assert(
      fc.property(turns, fc.integer({ min: 1, max: 20_000 }), (sizes, target) => {
        const prompt = createPrompt(sizes);
        const { prompt: shorter, removedCharacters } = compactConversation(prompt, to(target));
        expect(idsOf(shorter)).toEqual(idsOf(prompt));
        expect(idsOf(shorter).results).toEqual(idsOf(shorter).calls);
        expect(shorter.map(({ role }) => role)).toEqual(prompt.map(({ role }) => role));
        expect(shorter.filter(isKept)).toEqual(prompt.filter(isKept));
        expect(removedCharacters).toBeGreaterThanOrEqual(0);
        const saved = estimateTokens(prompt) - estimateTokens(shorter);
        // The mark of an omitted part is not ASCII.
        expect(Math.abs(saved - removedCharacters / 3.5)).toBeLessThanOrEqual(10 + saved / 50);
        // The same arguments give the same result, and a second compaction changes nothing.
        expect(compactConversation(createPrompt(sizes), to(target)).prompt).toEqual(shorter);
        expect(compactConversation(shorter, to(target)).prompt).toEqual(shorter);
      }),
      { numRuns: samples(100) },
    );
  });

  test("changes nothing in a conversation that fits", () => {
    const prompt = createPrompt([[500], [500]]);
    expect(compactConversation(prompt, to(10_000))).toEqual({
      prompt,
      removedCharacters: 0,
      summary: "",
    });
  });

  test("makes a conversation fit by removing results, oldest first", () => {
    const prompt = createPrompt([[10_000], [10_000], [10_000], [10_000]]);
    const { prompt: shorter } = compactConversation(prompt, to(6500));
    expect(estimateTokens(shorter)).toBeLessThanOrEqual(6500);
    const texts = shorter.map((message) => JSON.stringify(message));
    expect(texts[3]).toContain("was removed to save space. Call the tool again");
    expect(texts.at(-1)).toContain("x".repeat(10_000));
  });

  test("never shortens the task or later messages of people, however long they are", () => {
    const task = userMessage("t".repeat(600_000));
    const steering = toInboxMessage({
      id: "m",
      kind: "steering",
      from: "the user",
      text: "s".repeat(90_000),
    });
    const prompt = [
      systemMessage("You do it."),
      task,
      ...createPrompt([[9000]]).slice(2),
      steering,
    ];
    const { prompt: shorter } = compactConversation(prompt, to(1000));
    expect(shorter[1]).toBe(task);
    expect(shorter.at(-1)).toBe(steering);
    expect(JSON.stringify(shorter[3]).length).toBeLessThan(2500);
  });

  test("cuts the last results by no more than needed, after everything else", () => {
    const prompt = createPrompt([[50_000, 1000], [30_000]]);
    const { prompt: shorter } = compactConversation(prompt, to(20_000));
    expect(estimateTokens(shorter)).toBeLessThanOrEqual(20_000);
    expect(estimateTokens(shorter)).toBeGreaterThan(19_900);
    // The longest is cut, and the others are complete.
    const [start = "", end = ""] = JSON.stringify(shorter[3]).split(/\d+ characters left out\./);
    for (const part of [start, end]) expect(part).toContain("x".repeat(9000));
    expect(JSON.stringify(shorter.at(-1))).toContain("x".repeat(30_000));
  });

  test("keeps the beginning and end of each of the last results, however small the context is", () => {
    const { prompt: shorter } = compactConversation(createPrompt([[50_000], [50_000]]), to(1));
    for (const index of [3, 5]) {
      expect(JSON.stringify(shorter[index])).toMatch(/x{700}.*characters left out.*x{700}/);
    }
  });

  test("removes old results of background runs, and says how to get them", () => {
    const [instructions, task, ...rest] = createPrompt([[500], [500]]);
    const head = "[The background run worker has ended: succeeded]";
    const resultText = result("run-1", `${head}\n\n${"y".repeat(9000)}`);
    const prompt = [instructions, task, resultText, ...rest] as LanguageModelV4Prompt;
    const { prompt: shorter } = compactConversation(prompt, to(1500));
    const text = JSON.stringify(shorter[2]);
    expect(text).toContain(head);
    expect(text).toContain(
      'was removed to save space. Get it with context_get {\\"runId\\":\\"run-1\\"}',
    );
    expect(compactConversation(shorter, to(10)).prompt[2]).toEqual(shorter[2]);
  });

  test("shortens the model's own text if removing results is not enough", () => {
    const input = { file_path: "a.ts", edits: [{ content: "z".repeat(20_000) }] };
    const call = { type: "tool-call", id: "c", tool: "Write", input } as const;
    const prompt = [
      systemMessage("You do it."),
      userMessage("do it"),
      assistantMessage({ parts: [{ type: "text", text: "w".repeat(5000) }, call] }),
      toolMessage([{ id: "c", tool: "Write", text: "Written." }]),
      ...createPrompt([[10], [10]]).slice(2),
    ];
    const { prompt: shorter } = compactConversation(prompt, to(500));
    const text = JSON.stringify(shorter[2]);
    expect(estimateTokens(shorter)).toBeLessThanOrEqual(500);
    expect(text).toContain('"file_path":"a.ts"');
    expect(text).toContain("19800 characters removed to save space");
    expect(idsOf(shorter)).toEqual(idsOf(prompt));
  });
});
