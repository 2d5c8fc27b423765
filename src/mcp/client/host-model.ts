import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
} from "@ai-sdk/provider";
import type { CreateMessageRequestParams } from "@modelcontextprotocol/server";
import { z } from "zod";
import { CadreError } from "../../host.ts";
import { toSamplingParams } from "./sampling-messages.ts";
import { errorMessage } from "../../error-message.ts";

/** Asks the client's model. */
export type Sample = (params: CreateMessageRequestParams, signal: AbortSignal) => Promise<unknown>;

/** Options of {@link createHostModel}. */
export interface HostModelOptions {
  sample: Sample;
  /** Reports whether the client's model accepts tools, by its latest capabilities. */
  hasTools: () => boolean;
}

/**
 * Creates `host:sampling`, the client's model. It does not stream, reports no usage, and has tools only when the client
 * supports them.
 */
export function createHostModel({ sample, hasTools }: HostModelOptions): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "host",
    modelId: "sampling",
    supportedUrls: {},
    async doGenerate(call) {
      const { abortSignal = new AbortController().signal } = call;
      const canCall = hasTools();
      try {
        return readSample(
          await sample(toSamplingParams(call, canCall), abortSignal),
          call,
          canCall,
        );
      } catch (error) {
        abortSignal.throwIfAborted();
        // The user or the client declined. Do not ask again.
        const reason = errorMessage(error);
        const message = `The client's model (host:sampling) gave no answer: ${reason}`;
        throw new CadreError("model-error", message, { cause: error });
      }
    },
    doStream() {
      const message = "The client's model (host:sampling) cannot stream.";
      return Promise.reject(new CadreError("model-error", message));
    },
  };
}

const block = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({
    type: z.literal("tool_use"),
    id: z.string().min(1),
    name: z.string().min(1),
    input: z.record(z.string(), z.unknown()),
  }),
  z.object({ type: z.enum(["image", "audio", "tool_result"]) }),
]);

const response = z.object({
  model: z.string().default("unknown"),
  stopReason: z.string().optional(),
  content: z.union([block.transform((one) => [one]), z.array(block)]),
});

function readSample(
  given: unknown,
  call: LanguageModelV4CallOptions,
  hasTools: boolean,
): LanguageModelV4GenerateResult {
  const { data } = response.safeParse(given);
  if (data === undefined) throw new Error("it sent an invalid message");
  const content = data.content.flatMap(toContent);
  const isCalling = content.some(({ type }) => type === "tool-call");
  const unified = data.stopReason === "maxTokens" ? "length" : isCalling ? "tool-calls" : "stop";
  const isLimited = !hasTools && (call.tools ?? []).length > 0;
  const details = "The client cannot pass tools to its model; it answered without any.";
  return {
    content,
    finishReason: { unified, raw: data.stopReason },
    usage: {
      inputTokens: {
        total: undefined,
        noCache: undefined,
        cacheRead: undefined,
        cacheWrite: undefined,
      },
      outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    },
    response: { modelId: data.model },
    warnings: isLimited ? [{ type: "unsupported", feature: "tools", details }] : [],
  };
}

function toContent(part: z.output<typeof block>): LanguageModelV4Content[] {
  if (part.type === "text") return [{ type: "text", text: part.text }];
  if (part.type !== "tool_use") return [];
  const input = JSON.stringify(part.input);
  return [{ type: "tool-call", toolCallId: part.id, toolName: part.name, input }];
}
