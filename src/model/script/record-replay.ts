import { createHash } from "node:crypto";
import { appendFile, readFile } from "node:fs/promises";
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { z } from "zod";
import { CadreError } from "../../errors.ts";
import { parseJson } from "../../source/json.ts";
import { collectStream, type ProviderResult } from "../request/collect-stream.ts";
import { partsOf, streamOf } from "./result-stream.ts";
import { readConversation } from "./script-conversation.ts";

/**
 * Wraps a model so that each reply is appended to `file` as a line of JSON with the hash of its request.
 *
 * Neither headers nor requests are written, and so no keys. Each line is written at once, before the caller receives
 * the end of the reply. Failures are not recorded. A call rejects when the file cannot be written.
 */
export function recordingModel(language: LanguageModelV4, file: string): LanguageModelV4 {
  const write = async (call: LanguageModelV4CallOptions, result: ProviderResult): Promise<void> => {
    const { content, finishReason, usage, warnings } = result;
    const reply = { content, finishReason, usage, warnings };
    await appendLine(
      file,
      JSON.stringify({ hash: hashOf(call), model: language.modelId, ...reply }),
    );
  };
  return {
    specificationVersion: "v4",
    provider: language.provider,
    modelId: language.modelId,
    supportedUrls: language.supportedUrls,
    async doGenerate(call) {
      const result = await language.doGenerate(call);
      await write(call, result);
      return result;
    },
    async doStream(call) {
      const result = await language.doStream(call);
      return { ...result, stream: recordedStream(result.stream, (whole) => write(call, whole)) };
    },
  };
}

/**
 * Creates a model that replays the replies in `file`. The same request gets the same reply, and its repetitions get the
 * replies recorded after it.
 *
 * Throws CadreError `model-unavailable` for an invalid recording. A request that was not recorded rejects with
 * `model-error`.
 */
export async function createReplayModel(file: string): Promise<LanguageModelV4> {
  const recorded = await readRecording(file);
  const served = new Map<string, number>();
  const take = (call: LanguageModelV4CallOptions): Recorded => {
    const hash = hashOf(call);
    const index = served.get(hash) ?? 0;
    const replies = recorded.get(hash) ?? [];
    const reply = replies[index];
    if (reply === undefined) throw notRecorded(call, file, replies.length);
    served.set(hash, index + 1);
    return reply;
  };
  return {
    specificationVersion: "v4",
    provider: "replay",
    modelId: file,
    supportedUrls: {},
    doGenerate: async (call) => take(call),
    doStream: async (call) => ({ stream: streamOf(partsOf(take(call))) }),
  };
}

/** Appends in a single write, so that several processes may record to one file. */
async function appendLine(file: string, text: string): Promise<void> {
  try {
    await appendFile(file, `${text}\n`);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown error";
    throw new CadreError(
      "invalid-argument",
      `Expected a writable file at ${file}, got ${code}. Create its folder, or record to another file.`,
    );
  }
}

type Recorded = Required<Pick<ProviderResult, "content" | "finishReason" | "usage" | "warnings">>;

const line = z.looseObject({
  hash: z.string(),
  content: z.array(z.looseObject({ type: z.string() })),
  finishReason: z.looseObject({ unified: z.string() }),
  usage: z.looseObject({ inputTokens: z.looseObject({}), outputTokens: z.looseObject({}) }),
  warnings: z.array(z.looseObject({ type: z.string() })),
});

async function readRecording(file: string): Promise<Map<string, Recorded[]>> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw unreadable(file, `it could not be read (${code})`);
  });
  const byHash = new Map<string, Recorded[]>();
  for (const [index, written] of text.split("\n").entries()) {
    if (written.trim() === "") continue;
    const parsed = line.safeParse(parseJson(written));
    if (!parsed.success) throw unreadable(file, `line ${index + 1} is not a recorded reply`);
    const { hash, ...reply } = parsed.data;
    const replies = byHash.get(hash) ?? [];
    byHash.set(hash, [...replies, reply as unknown as Recorded]);
  }
  return byHash;
}

/** Forwards the stream, but holds its end back until the whole reply is written. */
function recordedStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  write: (result: ProviderResult) => Promise<void>,
): ReadableStream<LanguageModelV4StreamPart> {
  const parts: LanguageModelV4StreamPart[] = [];
  let hasFailed = false;
  return stream.pipeThrough(
    new TransformStream({
      async transform(part, controller) {
        parts.push(part);
        hasFailed ||= part.type === "error";
        if (part.type === "finish" && !hasFailed) {
          const whole = streamOf(parts.values());
          await write(await collectStream(whole, new AbortController().signal, {}));
        }
        controller.enqueue(part);
      },
    }),
  );
}

/** Hashes a request without provider options (cache marks, signatures), which differ in a replay, and without dates. */
function hashOf({
  prompt,
  tools = [],
  temperature,
  reasoning,
}: LanguageModelV4CallOptions): string {
  const messages = prompt.map((message) =>
    message.role === "system" ? { ...message, content: withoutDates(message.content) } : message,
  );
  const asked = { messages, tools, temperature, reasoning };
  const text = JSON.stringify(asked, (key, value: unknown) =>
    key === "providerOptions" ? undefined : value,
  );
  return createHash("sha256").update(text).digest("hex");
}

function withoutDates(text: string): string {
  return text.replace(/\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?/g, "DATE");
}

function notRecorded(call: LanguageModelV4CallOptions, file: string, times: number): CadreError {
  const { turn, last } = readConversation(call);
  const end = JSON.stringify(last.slice(-500));
  const known = times === 0 ? "not recorded" : `recorded ${times} time(s) and requested once more`;
  return new CadreError(
    "model-error",
    `In ${file}, turn ${turn} of this conversation, which ends with ${end}, was ${known}. ` +
      "Record it again with the same instructions, tools and task.",
    { details: { kind: "not-recorded", turn } },
  );
}

function unreadable(file: string, why: string): CadreError {
  return new CadreError(
    "model-unavailable",
    `Expected a recording at ${file}, but ${why}. Make one with the model record:${file}=MODEL.`,
    { details: { kind: "recording-invalid" } },
  );
}
