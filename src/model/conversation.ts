import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { isRecord, type JsonObject } from "../source/json.ts";
import type { ModelReply, ReplyPart } from "./model.ts";
import { wireName } from "./wire-name.ts";

/** A picture in a message. */
export interface MessageImage {
  /** For example `image/png`. */
  mediaType: string;
  /** In base64. */
  data: string;
}

/** The result of one tool call, as the model receives it. */
export interface ToolAnswer {
  /** The call's id in the reply. */
  id: string;
  tool: string;
  text: string;
  isError?: boolean;
  images?: readonly MessageImage[];
}

type AssistantPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];

/** Creates the first message of a conversation: its instructions. */
export function systemMessage(text: string): LanguageModelV4Message {
  return { role: "system", content: text };
}

/** Creates a message of the user or the delegating agent. */
export function userMessage(
  text: string,
  images: readonly MessageImage[] = [],
): LanguageModelV4Message {
  return { role: "user", content: [{ type: "text", text: textOr(text) }, ...images.map(filePart)] };
}

/**
 * Creates the message that returns a reply to the model with the next request. Keeps the signatures and ids that the provider
 * needs. Drops empty texts, and replaces tool names and arguments that a provider would refuse.
 */
export function assistantMessage(reply: Pick<ModelReply, "parts">): LanguageModelV4Message {
  const content = reply.parts.flatMap((part) => assistantPart(part) ?? []);
  return {
    role: "assistant",
    content: content.length > 0 ? content : [{ type: "text", text: textOr("") }],
  };
}

/** Creates the message that answers all tool calls of the previous reply, in the order of the calls. */
export function toolMessage(answers: readonly ToolAnswer[]): LanguageModelV4Message {
  return {
    role: "tool",
    content: answers.map((answer) => ({
      type: "tool-result",
      toolCallId: answer.id,
      toolName: wireName(answer.tool),
      output: outputOf(answer),
    })),
  };
}

function assistantPart(part: ReplyPart): AssistantPart | null {
  const options =
    part.metadata === undefined
      ? {}
      : { providerOptions: part.metadata as SharedV4ProviderOptions };
  switch (part.type) {
    case "text":
      return part.text.trim() === "" ? null : { type: "text", text: part.text, ...options };
    case "reasoning":
      return { type: "reasoning", text: part.text, ...options };
    case "tool-call":
      return { ...callPart(part, objectOf(part.input)), ...options };
    case "malformed-tool-call":
      return { ...callPart(part, { unreadable_arguments: part.text.slice(0, 2_000) }), ...options };
  }
}

function callPart(part: { id: string; tool: string }, input: JsonObject): AssistantPart {
  return { type: "tool-call", toolCallId: part.id, toolName: wireName(part.tool), input };
}

/** Providers require an object, but a model sometimes sends a bare value. The tool has already refused that value. */
function objectOf(input: unknown): JsonObject {
  return isRecord(input) ? (input as JsonObject) : { value: input as JsonObject };
}

function outputOf(answer: ToolAnswer): LanguageModelV4ToolResultOutput {
  const { text, images = [], isError = false } = answer;
  const value = textOr(text);
  // Providers accept errors only as text, so the text of a failed call with pictures mentions the failure.
  if (images.length === 0) return { type: isError ? "error-text" : "text", value };
  const marked = isError ? `The call failed: ${value}` : value;
  return { type: "content", value: [{ type: "text", text: marked }, ...images.map(filePart)] };
}

function filePart(image: MessageImage): LanguageModelV4FilePart {
  return {
    type: "file",
    data: { type: "data", data: image.data },
    mediaType: image.mediaType,
  };
}

/** Providers refuse empty blocks. */
function textOr(text: string): string {
  return text.trim() === "" ? "(empty)" : text;
}
