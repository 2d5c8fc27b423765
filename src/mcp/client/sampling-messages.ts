import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import type {
  ContentBlock,
  CreateMessageRequestParams,
  SamplingMessage,
  SamplingMessageContentBlock,
} from "@modelcontextprotocol/server";
import { omitUndefined } from "../../omit-undefined.ts";

/** The maximum length of a requested answer, in tokens. The protocol requires a number, and clients may return less. */
const maxAnswerTokens = 16_384;

const withoutTools =
  "You cannot use tools here, whatever the instructions above say: answer with what you know and what you are told.";

/** Converts a model call to a request to the client. Without `hasTools`, omits its tools. */
export function toSamplingParams(
  call: LanguageModelV4CallOptions,
  hasTools: boolean,
): CreateMessageRequestParams {
  const { prompt, temperature, maxOutputTokens = maxAnswerTokens, stopSequences } = call;
  const tools = (call.tools ?? []).flatMap((tool) => (tool.type === "function" ? [tool] : []));
  const isLimited = tools.length > 0 && !hasTools;
  const systemTexts = prompt.flatMap((message) =>
    message.role === "system" ? [message.content] : [],
  );
  const systemPrompt = [...systemTexts, ...(isLimited ? [withoutTools] : [])].join("\n\n");
  return {
    messages: prompt.flatMap((message) => toMessages(message, hasTools)),
    maxTokens: maxOutputTokens,
    ...(systemPrompt !== "" && { systemPrompt }),
    ...omitUndefined({ temperature, stopSequences }),
    ...(tools.length > 0 &&
      hasTools && { tools: tools.map(toTool), toolChoice: { mode: "auto" as const } }),
  };
}

type FunctionTool = Extract<
  NonNullable<LanguageModelV4CallOptions["tools"]>[number],
  { type: "function" }
>;

function toTool({
  name,
  description,
  inputSchema,
}: FunctionTool): NonNullable<CreateMessageRequestParams["tools"]>[number] {
  const schema = { ...inputSchema, type: "object" as const };
  return {
    name,
    ...omitUndefined({ description }),
    inputSchema: schema as NonNullable<CreateMessageRequestParams["tools"]>[number]["inputSchema"],
  };
}

/** Converts a message. Only clients with tools in sampling accept messages of several parts; for others, each part is a message. */
function toMessages(message: LanguageModelV4Message, hasTools: boolean): SamplingMessage[] {
  if (message.role === "system") return [];
  const role = message.role === "assistant" ? "assistant" : "user";
  const content = (message.content as readonly Part[]).flatMap(toBlocks);
  if (!hasTools) return content.map((block) => ({ role, content: block }));
  return content.length === 0 ? [] : [{ role, content }];
}

type Part = Exclude<LanguageModelV4Prompt[number]["content"], string>[number];

/** Converts a part. Omits reasoning and parts that only their provider understands. */
function toBlocks(part: Part): SamplingMessageContentBlock[] {
  if (part.type === "text") return part.text === "" ? [] : [{ type: "text", text: part.text }];
  if (part.type === "file") return toFile(part);
  if (part.type === "tool-call") {
    const input = part.input as Record<string, unknown>;
    return [{ type: "tool_use", id: part.toolCallId, name: part.toolName, input }];
  }
  return part.type === "tool-result" ? [toResult(part)] : [];
}

function toFile({
  data,
  mediaType,
}: Extract<Part, { type: "file" }>): Extract<ContentBlock, { type: "image" | "text" }>[] {
  if (data.type === "text") return [{ type: "text", text: data.text }];
  if (data.type !== "data") return [{ type: "text", text: `(a file: ${mediaType})` }];
  const base64 =
    typeof data.data === "string" ? data.data : Buffer.from(data.data).toString("base64");
  return mediaType.startsWith("image")
    ? [{ type: "image", data: base64, mimeType: mediaType }]
    : [{ type: "text", text: `(a file: ${mediaType})` }];
}

function toResult({
  toolCallId,
  output,
}: LanguageModelV4ToolResultPart): SamplingMessageContentBlock {
  const isError = output.type.startsWith("error") || output.type === "execution-denied";
  return {
    type: "tool_result",
    toolUseId: toolCallId,
    content: toContent(output),
    ...(isError && { isError }),
  };
}

function toContent(output: LanguageModelV4ToolResultPart["output"]): ContentBlock[] {
  switch (output.type) {
    case "text":
    case "error-text":
      return [{ type: "text", text: output.value }];
    case "json":
    case "error-json":
      return [{ type: "text", text: JSON.stringify(output.value) }];
    case "execution-denied":
      return [{ type: "text", text: output.reason ?? "It was not allowed." }];
    case "content":
      return output.value.flatMap((part): ContentBlock[] => {
        if (part.type === "text") return [{ type: "text", text: part.text }];
        return part.type === "file" ? toFile(part) : [];
      });
  }
}
