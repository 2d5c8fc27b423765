import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ReplyPart } from "../../model/model.ts";
import type { JsonValue } from "../../source/json.ts";

/** The maximum length of a text in a message, in characters. */
const longest = 20_000;

type Part = { type: string } & Readonly<Record<string, JsonValue>>;

/** A message in the form of OpenTelemetry's conventions. */
interface TracedMessage {
  role: string;
  parts: Part[];
  finish_reason?: string;
}

/** Returns a conversation as the attributes of a model request. */
export function describePrompt(prompt: LanguageModelV4Prompt): Record<string, unknown> {
  const instructions = prompt.flatMap((message) =>
    message.role === "system" ? [textPart(message.content)] : [],
  );
  const messages = prompt.filter(({ role }) => role !== "system").map(toMessage);
  return { "gen_ai.system_instructions": instructions, "gen_ai.input.messages": messages };
}

/** Returns a reply as the attribute of a model request. */
export function describeReply(
  parts: readonly ReplyPart[],
  finish: string,
): Record<string, unknown> {
  const message: TracedMessage = {
    role: "assistant",
    parts: parts.map(replyPart),
    finish_reason: finish,
  };
  return { "gen_ai.output.messages": [message] };
}

/** Returns a message with one text. */
export function textMessage(role: "user" | "assistant", text: string): TracedMessage {
  return { role, parts: [textPart(text)] };
}

/** Shortens a text, and says so at its end. */
export function shortenContent(text: string): string {
  const left = text.length - longest;
  return left <= 0 ? text : `${text.slice(0, longest)}… [${left} more characters]`;
}

function textPart(text: string): Part {
  return { type: "text", content: shortenContent(text) };
}

function replyPart(part: ReplyPart): Part {
  if (part.type === "text" || part.type === "reasoning") {
    return { type: part.type, content: shortenContent(part.text) };
  }
  const { id, tool: name } = part;
  const input = part.type === "tool-call" ? part.input : part.text;
  return { type: "tool_call", id, name, arguments: input };
}

function toMessage(message: LanguageModelV4Message): TracedMessage {
  const { role, content } = message;
  if (typeof content === "string") return { role, parts: [textPart(content)] };
  return { role, parts: content.map(messagePart) };
}

type ContentPart = Exclude<LanguageModelV4Message["content"], string>[number];

/** Converts a part of a message. Files are described, not copied. */
function messagePart(part: ContentPart): Part {
  if (part.type === "text" || part.type === "reasoning") {
    return { type: part.type, content: shortenContent(part.text) };
  }
  if (part.type === "tool-call") {
    const { toolCallId: id, toolName: name } = part;
    return {
      type: "tool_call",
      id,
      name,
      arguments: shortenContent(JSON.stringify(part.input) ?? ""),
    };
  }
  if (part.type === "tool-result") {
    const response = shortenContent(JSON.stringify(withoutFiles(part.output)));
    return { type: "tool_call_response", id: part.toolCallId, response };
  }
  return { type: part.type, ...("mediaType" in part && { mime_type: part.mediaType }) };
}

type ResultOutput = Extract<ContentPart, { type: "tool-result" }>["output"];

function withoutFiles(output: ResultOutput): unknown {
  if (output.type !== "content") return "value" in output ? output.value : output;
  return output.value.map((item) => (item.type === "text" ? item.text : { type: item.type }));
}
