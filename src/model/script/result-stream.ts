import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";

/** Converts `result` to stream parts. Splits text into words. */
export function* partsOf(
  result: Pick<LanguageModelV4GenerateResult, "content" | "finishReason" | "usage" | "warnings">,
): Generator<LanguageModelV4StreamPart> {
  const { content, finishReason, usage, warnings } = result;
  yield { type: "stream-start", warnings };
  for (const [index, part] of content.entries()) yield* contentParts(part, String(index));
  yield { type: "finish", finishReason, usage };
}

/** Creates a stream of `parts` that produces each part when it is read. */
export function streamOf(
  parts: Iterator<LanguageModelV4StreamPart>,
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream(
    {
      pull(controller) {
        const next = parts.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
    },
    { highWaterMark: 0 },
  );
}

function* contentParts(
  part: LanguageModelV4Content,
  id: string,
): Generator<LanguageModelV4StreamPart> {
  if (part.type === "tool-call") yield part;
  if (part.type !== "text" && part.type !== "reasoning") return;
  const { type, text, providerMetadata } = part;
  const metadata = providerMetadata === undefined ? {} : { providerMetadata };
  yield { type: `${type}-start`, id };
  for (const delta of text.match(/\s*\S+\s*/g) ?? [text])
    yield { type: `${type}-delta`, id, delta };
  yield { type: `${type}-end`, id, ...metadata };
}
