import { createHash } from "node:crypto";
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";

/** A conversation as passed to a script. */
export interface ScriptConversation {
  /** The instructions. */
  system: string;
  /** The first message of the user. */
  task: string;
  /** The text of the last message: the user's, or the results of the tools, one after another. */
  last: string;
  /** The tools whose results are in the last message, in order; empty for a user's message. */
  tools: readonly string[];
  /** The number of replies so far. */
  turn: number;
  /** The text of all messages after the instructions. */
  text: string;
  /** The tools that the model may call. */
  offered: readonly string[];
  /** A hash of the instructions and the task. */
  key: string;
}

/** Reads the conversation from a call to a model. */
export function readConversation(options: LanguageModelV4CallOptions): ScriptConversation {
  const { prompt, tools = [] } = options;
  const messages = prompt.filter((message) => message.role !== "system");
  const systems = prompt.filter((message) => message.role === "system");
  const system = systems.map(messageText).join("\n");
  const first = messages.find((message) => message.role === "user");
  const task = first === undefined ? "" : messageText(first);
  const last = messages.at(-1);
  return {
    system,
    task,
    last: last === undefined ? "" : messageText(last),
    tools:
      last?.role === "tool"
        ? last.content.flatMap((part) => ("toolName" in part ? part.toolName : []))
        : [],
    turn: messages.filter((message) => message.role === "assistant").length,
    text: messages.map(messageText).join("\n"),
    offered: tools.map((tool) => tool.name),
    key: createHash("sha256").update(`${system}\0${task}`).digest("hex").slice(0, 8),
  };
}

function messageText(message: LanguageModelV4Message): string {
  if (message.role === "system") return message.content;
  const texts = message.content.flatMap((part): string | string[] => {
    if (part.type === "text" || part.type === "reasoning") return part.text;
    if (part.type === "tool-call") return `${part.toolName} ${JSON.stringify(part.input)}`;
    if (part.type === "tool-result") return outputText(part.output);
    return [];
  });
  return texts.join("\n");
}

function outputText(output: LanguageModelV4ToolResultPart["output"]): string {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value;
    case "json":
    case "error-json":
      return JSON.stringify(output.value);
    case "execution-denied":
      return output.reason ?? "";
    case "content":
      return output.value.flatMap((item) => (item.type === "text" ? item.text : [])).join("\n");
  }
}
