import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { AipAnswer, AipAsk, AipMessage } from "../../aip/location/aip-port.ts";
import { isFileModel } from "../../delegate/settings/choose-model.ts";
import type { InternalContext } from "../../engine/program/internal-context.ts";
import { replyText } from "../../engine/loop/ask-once.ts";
import { CadreError } from "../../errors.ts";
import { systemMessage, userMessage } from "../../model/conversation.ts";
import type { Model } from "../../model/model.ts";
import type { RunSpec } from "../../run/run.ts";
import { imageType } from "../../tool/builtin/read-image.ts";

/** The models that `.aip` agents ask. */
export interface AipModels {
  resolveModel: (reference: string) => Promise<Model>;
}

/** The largest attached file, in bytes. */
const attachmentBytes = 5 * 1024 * 1024;

const cacheMark = { anthropic: { cacheControl: { type: "ephemeral" } } } as const;

/**
 * Asks a model for an `.aip` agent. A sub-agent whose model is unavailable asks its run's model, with a warning.
 *
 * @throws CadreError `model-unavailable` for a root run: it asks no model that its file does not name.
 */
export async function askForAip(
  models: AipModels,
  context: InternalContext,
  request: AipAsk,
  key: string,
): Promise<AipAnswer> {
  const { system, messages, temperature, topP, effort } = request;
  const prompt = await Promise.all(messages.map(toMessage));
  if (system !== "") prompt.unshift(systemMessage(system));
  // Providers require a user message.
  if (messages.length === 0) prompt.push(userMessage(""));
  const model = await chooseModel(models, context, request.model);
  const question = { prompt, model, temperature, topP, effort };
  const answer = await context.ask(question, key);
  const [provider = "", ...name] = answer.model.split(":");
  const reasoning = answer.parts.flatMap((part) => (part.type === "reasoning" ? part.text : []));
  return {
    text: replyText(answer),
    ...(reasoning.length > 0 && { reasoning: reasoning.join("") }),
    model: name.join(":"),
    provider,
    usage: answer.usage,
    cost: answer.cost,
    durationMs: answer.durationMs,
  };
}

async function chooseModel(
  { resolveModel }: AipModels,
  { spec, warn }: InternalContext,
  asked: string | undefined,
): Promise<string | undefined> {
  if (asked === undefined) return undefined;
  try {
    checkScriptModel(spec, asked);
    return (await resolveModel(asked)).id;
  } catch (error) {
    if (!(error instanceof CadreError) || error.code !== "model-unavailable") throw error;
    const problem = `The model ${asked} of agent ${spec.agent} cannot be used (${error.message})`;
    if (spec.parentId === null) throw new CadreError("model-unavailable", `${problem}.`);
    warn(`${problem}; it ran with ${spec.model ?? "the default model"} instead.`);
    return undefined;
  }
}

/**
 * Allows a model that reads or writes a file only if the run was started with it: a script cannot introduce one.
 *
 * @throws CadreError `model-unavailable`.
 */
export function checkScriptModel({ model, options, parentId }: RunSpec, asked: string): void {
  const given = parentId === null ? options?.["model"] : undefined;
  if (!isFileModel(asked) || asked === model || asked === given) return;
  const why = "it names a file, which only users may choose";
  throw new CadreError("model-unavailable", why);
}

async function toMessage(message: AipMessage): Promise<LanguageModelV4Message> {
  const { role, text, isCached, attachment } = message;
  const marked = isCached ? { providerOptions: cacheMark } : {};
  if (role === "assistant") return { role, content: [{ type: "text", text }], ...marked };
  if (attachment === undefined) return { ...userMessage(text), ...marked };
  return { ...(await withAttachment(text, attachment)), ...marked };
}

/** Attaches an image as an image and other files as text. */
async function withAttachment(text: string, path: string): Promise<LanguageModelV4Message> {
  const content = await readFile(path);
  if (content.length > attachmentBytes) {
    throw new Error(
      `${path} has ${content.length} bytes; at most ${attachmentBytes} are sent with a prompt`,
    );
  }
  const mediaType = imageType(content);
  if (mediaType !== undefined) {
    return userMessage(text, [{ mediaType, data: content.toString("base64") }]);
  }
  if (content.subarray(0, 5).toString("latin1") === "%PDF-") {
    const data = { type: "data", data: content.toString("base64") } as const;
    const file = {
      type: "file",
      data,
      mediaType: "application/pdf",
      filename: basename(path),
    } as const;
    return { role: "user", content: [{ type: "text", text }, file] };
  }
  if (content.includes(0)) throw new Error(`${path} is neither a text, a picture nor a PDF`);
  return userMessage(`${text}\n\n${content.toString("utf8")}`);
}
