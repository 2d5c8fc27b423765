import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  assistantMessage,
  systemMessage,
  toolMessage,
  userMessage,
} from "../model/conversation.ts";
import { estimateTokens } from "../model/request/estimate-tokens.ts";
import { compact } from "./compact.ts";

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
  {
    minLength: 1,
    maxLength: 12,
  },
);

describe("compacting", () => {
  test("keeps every call with its result, and the instructions, whatever it takes away", () => {
    fc.assert(
      fc.property(turns, fc.integer({ min: 1, max: 20_000 }), (sizes, target) => {
        const prompt = createPrompt(sizes);
        const { prompt: shorter, removedCharacters } = compact(prompt, target);
        expect(idsOf(shorter)).toEqual(idsOf(prompt));
        expect(idsOf(shorter).results).toEqual(idsOf(shorter).calls);
        expect(shorter.map(({ role }) => role)).toEqual(prompt.map(({ role }) => role));
        expect(shorter[0]).toBe(prompt[0]);
        expect(removedCharacters).toBeGreaterThanOrEqual(0);
        const saved = estimateTokens(prompt) - estimateTokens(shorter);
        expect(Math.abs(saved - removedCharacters / 3.5)).toBeLessThanOrEqual(1);
        // The same arguments give the same result, and doing it twice changes nothing more.
        expect(compact(createPrompt(sizes), target).prompt).toEqual(shorter);
        expect(compact(shorter, target).prompt).toEqual(shorter);
      }),
      { numRuns: 100 },
    );
  });

  test("changes nothing in a conversation that fits", () => {
    const prompt = createPrompt([[500], [500]]);
    expect(compact(prompt, 10_000)).toEqual({ prompt, removedCharacters: 0 });
  });

  test("makes what can be made to fit fit, oldest results first", () => {
    const prompt = createPrompt([[10_000], [10_000], [10_000], [10_000]]);
    const { prompt: shorter } = compact(prompt, 6000);
    expect(estimateTokens(shorter)).toBeLessThanOrEqual(6000);
    const texts = shorter.map((message) => JSON.stringify(message));
    expect(texts[3]).toContain("was removed to save space. Call the tool again");
    expect(texts.at(-1)).toContain("x".repeat(10_000));
  });

  test("cuts the middle out of the last results when nothing else is left", () => {
    const { prompt: shorter } = compact(createPrompt([[50_000], [50_000]]), 3000);
    expect(estimateTokens(shorter)).toBeLessThanOrEqual(3000);
    expect(JSON.stringify(shorter.at(-1))).toMatch(/x{2000}.*46000 characters removed.*x{2000}/);
  });
});
