import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { isRecord } from "../../source/json.ts";

/** A message of OpenAI's chat protocol. */
export type ChatMessage = Readonly<Record<string, unknown>>;

/** Parts of the protocol that clients write differently. */
export interface ChatDialect {
  /** The role of the instructions. */
  systemRole: string;
  /** Whether the text of a failed tool call is written as the JSON of an object with the field `error`. */
  wrapsErrors: boolean;
}

type ToolPart = Extract<LanguageModelV4Message, { role: "tool" }>["content"][number];

/**
 * Converts a conversation of instructions, texts, tool calls and texts of tools to the messages of OpenAI's chat protocol.
 * Returns `undefined` for any other conversation, such as one with pictures, reasoning, or data for a provider.
 */
export function toChatMessages(
  prompt: LanguageModelV4Prompt,
  dialect: ChatDialect,
): ChatMessage[] | undefined {
  const messages: ChatMessage[] = [];
  for (const message of prompt) {
    if (message.providerOptions !== undefined) return undefined;
    if (message.role === "tool") {
      for (const part of message.content) {
        const converted = toolMessage(part, dialect);
        if (converted === undefined) return undefined;
        messages.push(converted);
      }
      continue;
    }
    const converted = chatMessage(message, dialect);
    if (converted === undefined) return undefined;
    messages.push(converted);
  }
  return messages;
}

function chatMessage(
  message: Exclude<LanguageModelV4Message, { role: "tool" }>,
  { systemRole }: ChatDialect,
): ChatMessage | undefined {
  switch (message.role) {
    case "system":
      return { role: systemRole, content: message.content };
    case "user":
      return userMessage(message.content);
    case "assistant":
      return assistantMessage(message.content);
  }
}

function userMessage(
  content: Extract<LanguageModelV4Message, { role: "user" }>["content"],
): ChatMessage | undefined {
  const [part] = content;
  if (content.length !== 1 || part?.type !== "text" || part.providerOptions !== undefined) {
    return undefined;
  }
  return { role: "user", content: part.text };
}

function assistantMessage(
  content: Extract<LanguageModelV4Message, { role: "assistant" }>["content"],
): ChatMessage | undefined {
  let text = "";
  const calls: unknown[] = [];
  for (const part of content) {
    if (part.providerOptions !== undefined) return undefined;
    if (part.type === "text") text += part.text;
    else if (part.type === "tool-call" && isRecord(part.input)) {
      const call = { name: part.toolName, arguments: JSON.stringify(part.input) };
      calls.push({ id: part.toolCallId, type: "function", function: call });
    } else return undefined;
  }
  if (calls.length === 0) return { role: "assistant", content: text };
  return { role: "assistant", content: text === "" ? null : text, tool_calls: calls };
}

function toolMessage(part: ToolPart, { wrapsErrors }: ChatDialect): ChatMessage | undefined {
  if (part.type !== "tool-result" || part.providerOptions !== undefined) return undefined;
  const { output, toolCallId } = part;
  if (output.type !== "text" && output.type !== "error-text") return undefined;
  if (output.providerOptions !== undefined) return undefined;
  const { type, value } = output;
  const isWrapped = wrapsErrors && type === "error-text";
  const content = isWrapped ? JSON.stringify({ error: value }) : value;
  return { role: "tool", tool_call_id: toolCallId, content };
}
