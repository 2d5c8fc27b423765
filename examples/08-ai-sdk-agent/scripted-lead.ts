import { MockLanguageModelV4 } from "ai/test";

type Reply = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>;

const usage: Reply["usage"] = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

/** A model that delegates to two readers at once and then reports their answers. The example therefore works without a key. */
export const scriptedLead: MockLanguageModelV4 = new MockLanguageModelV4({
  async doGenerate({ prompt }): Promise<Reply> {
    const last = prompt.at(-1);
    if (last?.role !== "tool") {
      const content = ["ada.md", "bob.md"].map((file) => ({
        type: "tool-call" as const,
        toolCallId: file,
        toolName: "agent",
        input: JSON.stringify({ type: "reader", prompt: `What is ${file} about?` }),
      }));
      const finishReason = { unified: "tool-calls", raw: undefined } as const;
      return { content, finishReason, usage, warnings: [] };
    }
    const answers = last.content.flatMap((part) =>
      part.type === "tool-result" && part.output.type === "text" ? part.output.value : [],
    );
    const text = `One is about ${answers.join(", the other about ")}.`;
    const finishReason = { unified: "stop", raw: undefined } as const;
    return { content: [{ type: "text", text }], finishReason, usage, warnings: [] };
  },
});
