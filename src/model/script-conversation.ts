import { createHash } from "node:crypto";
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";

/** A conversation as a script sees it. */
export interface ScriptConversation {
  /** The instructions. */
  system: string;
  /** The first message of the user. */
  task: string;
  /** The last message: the user's text, or the results of the tools, each on its own lines. */
  last: string;
  /** The tools whose results the last message holds, in order; empty when it is the user's. */
  tools: readonly string[];
  /** How often the model has replied; 0 at the beginning. */
  turn: number;
  /** Every message's text after the instructions, one after another. */
  text: string;
  /** The names of the tools the model may call. */
  offered: readonly string[];
  /** The same for the same instructions and task. */
  key: string;
}

/** Reads the conversation out of a call to a model. */
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
