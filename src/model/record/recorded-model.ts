// Models whose conversations are recorded in a file, and replayed from it.

import { homedir } from "node:os";
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { CadreError } from "../../errors.ts";
import { createPlaceholders, type Placeholders } from "../../source/placeholders.ts";
import { createRedaction, findSecretVariables } from "../../source/redact.ts";
import { collectStream, type ProviderResult } from "../request/collect-stream.ts";
import { partsOf, streamOf } from "../script/result-stream.ts";
import { createUnknownRequest } from "./explain-request.ts";
import { openRecording, type Recording } from "./recording.ts";
import type { StoredReply } from "./recording-file.ts";
import { type RequestRecord, toRequestRecord } from "./request-record.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** Options of a recorded model. */
export interface RecordedModelOptions {
  file: string;
  /**
   * `replay`: replies from the file only. `record`: asks the model and appends each reply to the file. `auto`: replies from the
   * file, and asks and records the missing replies.
   */
  mode: "replay" | "record" | "auto";
  /** Returns the model to ask. Called once, for the first request that needs it. */
  findModel?: () => Promise<LanguageModelV4>;
  /** The folder of the project, which the recording calls `<project>`. */
  folder?: string;
  /** The folder of the registry, which contains workspaces of evals. The recording calls it `<state>`. */
  stateFolder?: string;
  /** The values of variables named like secrets are removed. Default: `process.env`. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Returns further secrets to remove, such as the model's key. */
  secrets?: () => readonly string[];
}

/**
 * Creates a model that records or replays conversations.
 * The file has a line of JSON for each reply, with its request. Secrets are replaced by `[secret]`. The same request gets the
 * same reply, regardless of its ids, times and temporary folders. Its repetitions get the replies recorded after that one. Each
 * line is written before the caller receives the end of the reply. Failures are not recorded. A call rejects when the file cannot
 * be written, and with `model-error` when a replay has no reply to it; the message shows the difference from the most similar
 * recorded request.
 *
 * @throws CadreError `model-unavailable` for an invalid recording.
 */
export async function createRecordedModel(options: RecordedModelOptions): Promise<LanguageModelV4> {
  const { file, mode } = options;
  const recording = await openRecording(file, mode !== "replay");
  let found: Promise<LanguageModelV4> | undefined;
  const find = (): Promise<LanguageModelV4> => (found ??= findModel(options));
  const prepare = (call: LanguageModelV4CallOptions): Prepared => prepareCall(call, options);
  const recall = (prepared: Prepared): StoredReply | undefined => {
    const reply = mode === "record" ? undefined : recording.take(prepared.request);
    if (reply !== undefined) {
      return JSON.parse(prepared.placeholders.show(JSON.stringify(reply))) as StoredReply;
    }
    if (mode === "replay") throw createUnknownRequest(prepared.request, recording);
    return undefined;
  };
  return {
    specificationVersion: "v4",
    provider: mode === "replay" ? "replay" : "recorded",
    modelId: file,
    supportedUrls: {},
    async doGenerate(call) {
      const prepared = prepare(call);
      const recalled = recall(prepared);
      if (recalled !== undefined) return recalled;
      const language = await find();
      const result = await language.doGenerate(call);
      await write(recording, prepared, { language, result });
      return result;
    },
    async doStream(call) {
      const prepared = prepare(call);
      const recalled = recall(prepared);
      if (recalled !== undefined) return { stream: streamOf(partsOf(recalled)) };
      const language = await find();
      const { stream, ...rest } = await language.doStream(call);
      const keep = (result: ProviderResult): Promise<void> =>
        write(recording, prepared, { language, result });
      return { ...rest, stream: recordedStream(stream, keep) };
    },
  };
}

async function findModel({ file, mode, ...options }: RecordedModelOptions) {
  if (options.findModel !== undefined) return await options.findModel();
  throw new CadreError(
    "invalid-argument",
    `Expected a model to ask with mode ${mode} of the recording ${file}. Give one, or use the mode replay.`,
  );
}

/** A request, and the values replaced in it. */
interface Prepared {
  request: RequestRecord;
  placeholders: Placeholders;
  redact: (text: string) => string;
}

function prepareCall(call: LanguageModelV4CallOptions, options: RecordedModelOptions): Prepared {
  const { folder, stateFolder, environment = process.env } = options;
  const secrets = [...findSecretVariables(environment), ...(options.secrets?.() ?? [])];
  const redact = createRedaction(secrets.flatMap((one) => [one, JSON.stringify(one).slice(1, -1)]));
  const home = homedir();
  const placeholders = createPlaceholders({
    ...(home.length > 1 && { home }),
    ...omitUndefined({ project: folder, state: stateFolder }),
  });
  return { request: toRequestRecord(call, { placeholders, redact }), placeholders, redact };
}

async function write(
  recording: Recording,
  { request, placeholders, redact }: Prepared,
  { language, result }: { language: LanguageModelV4; result: ProviderResult },
): Promise<void> {
  const { content, finishReason, usage, warnings } = result;
  const reply = { content, finishReason, usage, warnings };
  const clean = JSON.stringify(reply, (_key, value: unknown) =>
    typeof value === "string" ? redact(value) : value,
  );
  const stored = JSON.parse(placeholders.hideKnown(clean)) as StoredReply;
  await recording.add(request, language.modelId, stored);
}

/** Forwards the stream, but withholds its end until the whole reply is written. */
function recordedStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  keep: (result: ProviderResult) => Promise<void>,
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
          await keep(await collectStream(whole, new AbortController().signal, {}));
        }
        controller.enqueue(part);
      },
    }),
  );
}
