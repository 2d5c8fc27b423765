import type { LanguageModelV4Message, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import { cutMiddle } from "../../tool/output/output-cap.ts";
import { resultIn } from "./inbox-message.ts";

/** The minimum length of a cut result, in characters. */
export const minCutLength = 2000;

/** Returns `message` with each result above `longest` characters cut in the middle. */
export function cutResults(
  message: LanguageModelV4Message,
  longest: number,
): LanguageModelV4Message {
  if (message.role === "tool") {
    const cut = (text: string): string => cutText(text, longest, "Call the tool for a part of it.");
    const content = message.content.map((part) =>
      part.type === "tool-result" ? { ...part, output: cutOutput(part.output, cut) } : part,
    );
    return { ...message, content };
  }
  const runId = resultIn(message);
  if (message.role !== "user" || runId === undefined) return message;
  const rest = `Get the whole with context_get ${JSON.stringify({ runId })}.`;
  const content = message.content.map((part) =>
    part.type === "text" ? { ...part, text: cutText(part.text, longest, rest) } : part,
  );
  return { ...message, content };
}

type Output = LanguageModelV4ToolResultPart["output"];

function cutOutput(output: Output, cut: (text: string) => string): Output {
  if (output.type === "text" || output.type === "error-text") {
    return { ...output, value: cut(output.value) };
  }
  if (output.type !== "content") return output;
  const value = output.value.map((item) =>
    item.type === "text" ? { ...item, text: cut(item.text) } : item,
  );
  return { ...output, value };
}

function cutText(text: string, longest: number, rest: string): string {
  if (text.length <= longest) return text;
  const why = `The conversation is near the limit of the model's context. ${rest}`;
  return cutMiddle({ head: text, tail: text, length: text.length, limit: longest, rest: why });
}
