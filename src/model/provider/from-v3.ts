/** Models of version 3 of the AI SDK's provider interface, as models of version 4. */

import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3Message,
  LanguageModelV3StreamPart,
  LanguageModelV3ToolResultOutput,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolResultOutput,
  SharedV4Warning,
} from "@ai-sdk/provider";

/**
 * Wraps a model of version 3 as one of version 4. Version 3 has no option for the reasoning effort; a warning in each reply says
 * that the effort was omitted.
 */
export function fromV3(model: LanguageModelV3): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    async doGenerate(options) {
      const result = await model.doGenerate(toCall(options));
      const warnings = [...result.warnings, ...warningsOf(options)];
      return { ...result, warnings, content: result.content.map(toContent) };
    },
    async doStream(options) {
      const { stream, ...rest } = await model.doStream(toCall(options));
      const convert = new TransformStream<LanguageModelV3StreamPart, LanguageModelV4StreamPart>({
        transform(part, controller) {
          controller.enqueue(toStreamPart(part, warningsOf(options)));
        },
      });
      return { ...rest, stream: stream.pipeThrough(convert) };
    },
  };
}

function warningsOf({ reasoning }: LanguageModelV4CallOptions): SharedV4Warning[] {
  return reasoning === undefined ? [] : [{ type: "unsupported", feature: "reasoning" }];
}

function toCall({ prompt, ...options }: LanguageModelV4CallOptions): LanguageModelV3CallOptions {
  const call = { ...options, prompt: prompt.map(toMessage) };
  delete call.reasoning;
  return call;
}

function toMessage(message: LanguageModelV4Message): LanguageModelV3Message {
  switch (message.role) {
    case "system":
      return message;
    case "user":
      return { ...message, content: message.content.map(toUserPart) };
    case "assistant":
      return { ...message, content: message.content.map(toAssistantPart) };
    case "tool":
      return { ...message, content: message.content.map(toToolPart) };
  }
}

type PartsOf<Message extends { role: string }, Role> = Extract<
  Message,
  { role: Role; content: unknown[] }
>["content"][number];

function toUserPart(
  part: PartsOf<LanguageModelV4Message, "user">,
): PartsOf<LanguageModelV3Message, "user"> {
  return part.type === "file" ? toFilePart(part) : part;
}

function toAssistantPart(
  part: PartsOf<LanguageModelV4Message, "assistant">,
): PartsOf<LanguageModelV3Message, "assistant"> {
  if (part.type === "file") return toFilePart(part);
  if (part.type === "tool-result") return { ...part, output: toOutput(part.output) };
  if (part.type === "custom" || part.type === "reasoning-file") throw unknownPart(part.type);
  return part;
}

function toToolPart(
  part: PartsOf<LanguageModelV4Message, "tool">,
): PartsOf<LanguageModelV3Message, "tool"> {
  return part.type === "tool-result" ? { ...part, output: toOutput(part.output) } : part;
}

function toFilePart(part: LanguageModelV4FilePart) {
  const { data } = part;
  if (data.type === "data") return { ...part, data: data.data };
  if (data.type === "url") return { ...part, data: data.url };
  throw unknownPart(`file with ${data.type}`);
}

function toOutput(output: LanguageModelV4ToolResultOutput): LanguageModelV3ToolResultOutput {
  if (output.type !== "content") return output;
  const value = output.value.map((item) => {
    if (item.type !== "file") return item;
    if (item.data.type !== "data") throw unknownPart(`file with ${item.data.type}`);
    const data = toBase64(item.data.data);
    const type = item.mediaType.startsWith("image/") ? "image-data" : "file-data";
    return { ...item, type, data } as const;
  });
  return { type: "content", value };
}

function toBase64(data: string | Uint8Array): string {
  return typeof data === "string" ? data : Buffer.from(data).toString("base64");
}

/** Cadre's conversations have no such parts. */
function unknownPart(type: string): Error {
  return new Error(
    `Models of version 3 of the provider interface do not support the part ${type}.`,
  );
}

function toContent(content: LanguageModelV3Content): LanguageModelV4Content {
  if (content.type !== "file") return content;
  return { ...content, data: { type: "data", data: content.data } };
}

function toStreamPart(
  part: LanguageModelV3StreamPart,
  warnings: readonly SharedV4Warning[],
): LanguageModelV4StreamPart {
  if (part.type === "file") return { ...part, data: { type: "data", data: part.data } };
  if (part.type === "stream-start") return { ...part, warnings: [...part.warnings, ...warnings] };
  return part;
}
