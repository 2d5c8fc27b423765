import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";

/** Removes another model's reasoning from the messages from `begin` on. Its signature is valid for that model only. */
export function dropReasoning(prompt: LanguageModelV4Prompt, begin = 0): void {
  for (let at = begin; at < prompt.length; at += 1) {
    const message = prompt[at];
    if (message?.role === "assistant") prompt[at] = withoutReasoning(message);
  }
}

function withoutReasoning(
  message: Extract<LanguageModelV4Message, { role: "assistant" }>,
): LanguageModelV4Message {
  const content = message.content.filter(({ type }) => type !== "reasoning");
  return {
    ...message,
    content: content.length > 0 ? content : [{ type: "text", text: "(empty)" }],
  };
}
