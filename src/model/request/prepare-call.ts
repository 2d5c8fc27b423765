import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { JsonObject } from "../../source/json.ts";
import type { ModelRequest, ModelTool } from "../model.ts";
import { findSearchTool } from "./web-search.ts";
import { wireName } from "../wire-name.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { traceHeaders } from "../../trace-context.ts";

/** Converts a {@link ModelRequest} to a call of `language`'s provider. */
export function prepareCall(
  language: LanguageModelV4,
  request: ModelRequest,
): LanguageModelV4CallOptions {
  const { temperature, topP, effort, tools } = request;
  const search = request.webSearch === true ? findSearchTool(language) : undefined;
  const maxOutputTokens = smaller(request.maxOutputTokens, outputLimit(language));
  const headers = traceHeaders();
  const providerOptions = mergeOptions(optionsFor(language), request.providerOptions);
  return {
    prompt: promptFor(language, request.prompt),
    ...(tools.length > 0 && { tools: listTools(tools), ...chooseTool(request) }),
    ...(search !== undefined && { tools: [...listTools(tools), search] }),
    ...omitUndefined({
      temperature,
      topP,
      reasoning: effort,
      maxOutputTokens,
      providerOptions,
      headers,
    }),
  };
}

function chooseTool({ toolChoice }: ModelRequest): Pick<LanguageModelV4CallOptions, "toolChoice"> {
  if (toolChoice === undefined) return {};
  if (toolChoice.type !== "tool") return { toolChoice };
  return { toolChoice: { type: "tool", toolName: wireName(toolChoice.name) } };
}

/** Merges the options of a request over Cadre's, one by one. */
function mergeOptions(
  own: SharedV4ProviderOptions | undefined,
  requested: ModelRequest["providerOptions"],
): SharedV4ProviderOptions | undefined {
  if (requested === undefined) return own;
  const merged: SharedV4ProviderOptions = { ...own };
  for (const [provider, options] of Object.entries(requested)) {
    merged[provider] = { ...merged[provider], ...options };
  }
  return merged;
}

function smaller(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined || right === undefined ? (left ?? right) : Math.min(left, right);
}

/** Tools in their provider's form. Requests that offer the same tools share one list. */
interface ToolList {
  tools: LanguageModelV4FunctionTool[];
  /** The lists with one more tool, by that tool. */
  longer: WeakMap<ModelTool, ToolList>;
}

const noTools: ToolList = { tools: [], longer: new WeakMap() };

function listTools(tools: readonly ModelTool[]): LanguageModelV4FunctionTool[] {
  return tools.reduce(withTool, noTools).tools;
}

function withTool({ tools, longer }: ToolList, tool: ModelTool): ToolList {
  const known = longer.get(tool);
  if (known !== undefined) return known;
  const list = { tools: [...tools, functionTool(tool)], longer: new WeakMap() };
  longer.set(tool, list);
  return list;
}

function functionTool({ name, description, inputSchema }: ModelTool): LanguageModelV4FunctionTool {
  return {
    type: "function",
    name: wireName(name),
    description,
    inputSchema: objectSchema(inputSchema),
  };
}

/** Adds the fields that providers require and that schemas of MCP servers may omit. */
function objectSchema(schema: JsonObject): LanguageModelV4FunctionTool["inputSchema"] {
  return schema["type"] === "object" && schema["properties"] !== undefined
    ? schema
    : { properties: {}, ...schema, type: "object" };
}

/**
 * Anthropic requires a limit. For models that it does not know, the client assumes 4,096, too little to write a file. The first
 * Claude generations allow no more. Other providers default to the model's own maximum.
 */
function outputLimit(language: LanguageModelV4): number | undefined {
  if (!isAnthropic(language)) return undefined;
  return /claude-(?:3-haiku|instant|2)/.test(language.modelId) ? undefined : 32_000;
}

/** Compares the whole name, because an endpoint named `anthropic-proxy` may implement OpenAI's API. */
function isAnthropic(language: LanguageModelV4): boolean {
  return language.provider === "anthropic.messages";
}

function optionsFor(language: LanguageModelV4): SharedV4ProviderOptions | undefined {
  // A conversation stored on OpenAI's servers could not be resumed later, forked, or continued with another key.
  if (language.provider === "openai.responses") return { openai: { store: false } };
  return undefined;
}

function promptFor(
  language: LanguageModelV4,
  prompt: LanguageModelV4Prompt,
): LanguageModelV4Prompt {
  if (isAnthropic(language)) return withCacheMarks(prompt);
  if (takesImagesInResults(language) || !prompt.some(hasImagesInResults)) return prompt;
  return prompt.flatMap(withoutImagesInResults);
}

function hasImagesInResults(message: LanguageModelV4Message): boolean {
  return (
    message.role === "tool" &&
    message.content.some((part) => part.type === "tool-result" && part.output.type === "content")
  );
}

/**
 * chat/completions accepts no images in tool results, and Gemini before version 3 receives them between the answers of parallel
 * calls.
 */
function takesImagesInResults({ provider, modelId }: LanguageModelV4): boolean {
  return !provider.endsWith(".chat") && !/^(?:models\/)?gemini-[12]/.test(modelId);
}

const cacheMark: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

/**
 * Marks the ends of the instructions and of the conversation, so that the next request reads everything before them from the
 * cache.
 */
function withCacheMarks(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const last = prompt.length - 1;
  return prompt.map((message, index) =>
    message.role === "system" || index === last ? marked(message) : message,
  );
}

function marked(message: LanguageModelV4Message): LanguageModelV4Message {
  return { ...message, providerOptions: { ...message.providerOptions, ...cacheMark } };
}

/** Moves the pictures of tool results to a user message that follows. */
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
