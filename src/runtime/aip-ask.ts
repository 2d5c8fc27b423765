import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { AipAnswer, AipAsk, AipMessage } from "../aip/aip-port.ts";
import { isFileModel } from "../delegate/choose-model.ts";
import { askOnce, type AskServices, textOf } from "../engine/ask-once.ts";
import type { Session } from "../engine/session.ts";
import { CadreError } from "../errors.ts";
import { systemMessage, userMessage } from "../model/conversation.ts";
import type { RunSpec } from "../run/run.ts";
import { imageType } from "../tool/read-image.ts";

/** The largest file that is sent with a prompt, in bytes. */
const attachmentBytes = 5 * 1024 * 1024;

const cacheMark = { anthropic: { cacheControl: { type: "ephemeral" } } } as const;

/**
 * Asks a model for an `.aip` agent. A sub-agent whose model cannot be used asks its run's model, with a warning, like any
 * sub-agent.
 *
 * @throws CadreError `model-unavailable` for a run without a parent: nothing is asked of a model that its file does not name.
 */
export async function askForAip(
  services: AskServices,
  session: Session,
  request: AipAsk,
  key: string,
): Promise<AipAnswer> {
  const { system, messages, temperature, topP, effort } = request;
  const prompt = await Promise.all(messages.map(toMessage));
  if (system !== "") prompt.unshift(systemMessage(system));
  // Providers want something to answer to.
  if (messages.length === 0) prompt.push(userMessage(""));
  const model = await chooseModel(services, session, request.model);
  const question = { prompt, model, temperature, topP, effort };
  const answer = await askOnce(services, session, question, key);
  const [provider = "", ...name] = answer.model.split(":");
  const reasoning = answer.parts.flatMap((part) => (part.type === "reasoning" ? part.text : []));
  return {
    text: textOf(answer),
    ...(reasoning.length > 0 && { reasoning: reasoning.join("") }),
    model: name.join(":"),
    provider,
    usage: answer.usage,
    cost: answer.cost,
    durationMs: answer.durationMs,
  };
}

async function chooseModel(
  { resolveModel }: AskServices,
  { spec, warnings }: Session,
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
    warnings.add(`${problem}; it ran with ${spec.model ?? "the default model"} instead.`);
    return undefined;
  }
}

/**
 * A script may hand on a model of a file that the run was started with, but not think of one.
 *
 * @throws CadreError `model-unavailable`.
 */
export function checkScriptModel({ model, options, parentId }: RunSpec, asked: string): void {
  const given = parentId === null ? options?.["model"] : undefined;
  if (!isFileModel(asked) || asked === model || asked === given) return;
  const why = "it names a file, which only those who start a run may do";
  throw new CadreError("model-unavailable", why);
}

async function toMessage(message: AipMessage): Promise<LanguageModelV4Message> {
  const { role, text, isCached, attachment } = message;
  const marked = isCached ? { providerOptions: cacheMark } : {};
  if (role === "assistant") return { role, content: [{ type: "text", text }], ...marked };
  if (attachment === undefined) return { ...userMessage(text), ...marked };
  return { ...(await withAttachment(text, attachment)), ...marked };
}

/** A picture goes along as one, any other text as text. */
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
