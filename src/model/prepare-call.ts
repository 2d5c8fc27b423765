import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { JsonObject } from "../source/json.ts";
import type { ModelRequest, ModelTool } from "./model.ts";
import { wireName } from "./wire-name.ts";

/** A {@link ModelRequest} as `language`'s provider wants it. */
export function prepareCall(
  language: LanguageModelV4,
  request: ModelRequest,
): LanguageModelV4CallOptions {
  const { temperature, topP, effort, tools } = request;
  const maxOutputTokens = smaller(request.maxOutputTokens, outputLimit(language));
  const providerOptions = optionsFor(language);
  return {
    prompt: promptFor(language, request.prompt),
    ...(tools.length > 0 && { tools: tools.map(functionTool) }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(effort !== undefined && { reasoning: effort }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(providerOptions !== undefined && { providerOptions }),
  };
}

function smaller(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined || right === undefined ? (left ?? right) : Math.min(left, right);
}

function functionTool(tool: ModelTool): LanguageModelV4FunctionTool {
  return {
    type: "function",
    name: wireName(tool.name),
    description: tool.description,
    inputSchema: objectSchema(tool.inputSchema),
  };
}

/** Schemas of MCP servers may leave out what providers insist on. */
function objectSchema(schema: JsonObject): LanguageModelV4FunctionTool["inputSchema"] {
  return schema["type"] === "object" && schema["properties"] !== undefined
    ? schema
    : { properties: {}, ...schema, type: "object" };
}

/**
 * Anthropic requires a limit and the client's own guess for a model it does not know is 4,096, too short for a file.
 * The first Claude generations can do no more than that; everybody else's default is the model's own maximum.
 */
function outputLimit(language: LanguageModelV4): number | undefined {
  if (!isAnthropic(language)) return undefined;
  return /claude-(?:3-haiku|instant|2)/.test(language.modelId) ? undefined : 32_000;
}

/** Exactly: an endpoint may be named `anthropic-proxy` and still speak OpenAI's format. */
function isAnthropic(language: LanguageModelV4): boolean {
  return language.provider === "anthropic.messages";
}

function optionsFor(language: LanguageModelV4): SharedV4ProviderOptions | undefined {
  // A conversation that lives on OpenAI's servers could not be resumed later, forked, or continued with another key.
  if (language.provider === "openai.responses") return { openai: { store: false } };
  return undefined;
}

function promptFor(
  language: LanguageModelV4,
  prompt: LanguageModelV4Prompt,
): LanguageModelV4Prompt {
  if (isAnthropic(language)) return withCacheMarks(prompt);
  return takesImagesInResults(language) ? prompt : prompt.flatMap(withoutImagesInResults);
}

/** chat/completions has no place for them, and Gemini before 3 is given them between the answers of parallel calls. */
function takesImagesInResults({ provider, modelId }: LanguageModelV4): boolean {
  return !provider.endsWith(".chat") && !/^(?:models\/)?gemini-[12]/.test(modelId);
}

const cacheMark: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

/** Marks the end of the instructions and the end of the conversation: what comes before is read from the cache next time. */
function withCacheMarks(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const last = prompt.length - 1;
  return prompt.map((message, index) =>
    message.role === "system" || index === last ? marked(message) : message,
  );
}

function marked(message: LanguageModelV4Message): LanguageModelV4Message {
  return { ...message, providerOptions: { ...message.providerOptions, ...cacheMark } };
}

/** The pictures of tool results follow in a message of the user. */
function withoutImagesInResults(message: LanguageModelV4Message): LanguageModelV4Message[] {
  if (message.role !== "tool") return [message];
  const images: Extract<LanguageModelV4Message, { role: "user" }>["content"] = [];
  const content = message.content.map((part) => {
    if (part.type !== "tool-result" || part.output.type !== "content") return part;
    for (const item of part.output.value) {
      if (item.type !== "file") continue;
      images.push(
        { type: "text", text: `Picture from ${part.toolName} (${part.toolCallId}):` },
        item,
      );
    }
    return { ...part, output: textOnly(part.output.value) };
  });
  if (images.length === 0) return [message];
  return [
    { ...message, content },
    { role: "user", content: images },
  ];
}

function textOnly(
  value: Extract<LanguageModelV4ToolResultPart["output"], { type: "content" }>["value"],
): LanguageModelV4ToolResultPart["output"] {
  const texts = value.flatMap((item) => (item.type === "text" ? item.text : []));
  return { type: "text", value: `${texts.join("\n")}\n(The picture follows in the next message.)` };
}
