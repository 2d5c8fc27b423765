import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { omitUndefined } from "../../omit-undefined.ts";
import { isEmptyList, isRecord } from "../../source/json.ts";

/** A reply of OpenAI's chat protocol. */
export interface ChatReply {
  response: { id?: string; modelId?: string };
  content: LanguageModelV4Content[];
  finishReason: LanguageModelV4FinishReason;
  usage: LanguageModelV4Usage;
}

type Table = Readonly<Record<string, unknown>>;

/**
 * Reads a reply that consists of one choice with text, tool calls and usage. Returns `undefined` for any other reply, such as one
 * with reasoning, a refusal, annotations, several choices or no usage, and for an invalid one.
 */
export function readChatReply(text: string): ChatReply | undefined {
  const reply = parse(text);
  if (!isRecord(reply)) return undefined;
  const { id, model, created, choices, usage } = reply;
  if (!isText(id) || !isText(model)) return undefined;
  if (!isNumber(created) || !Array.isArray(choices) || choices.length !== 1) return undefined;
  const choice: unknown = choices[0];
  if (!isRecord(choice) || typeof choice["index"] !== "number") return undefined;
  const { message, finish_reason: finish, logprobs } = choice;
  if (!isRecord(message) || !isText(finish) || !isAbsent(logprobs)) return undefined;
  const content = readMessage(message);
  const counts = isRecord(usage) ? readUsage(usage) : undefined;
  if (content === undefined || counts === undefined) return undefined;
  const finishReason = { unified: unifyFinish(finish), raw: finish ?? undefined };
  const response = omitUndefined({ id: id ?? undefined, modelId: model ?? undefined });
  return { content, finishReason, usage: counts, response };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readMessage(message: Table): LanguageModelV4Content[] | undefined {
  const { role = null, content: text, tool_calls: calls, ...others } = message;
  if ((role !== null && role !== "assistant") || !isText(text)) return undefined;
  if (!Object.values(others).every(isNothing)) return undefined;
  const content: LanguageModelV4Content[] = [];
  if (typeof text === "string" && text !== "") content.push({ type: "text", text });
  if (isAbsent(calls)) return content;
  if (!Array.isArray(calls)) return undefined;
  for (const call of calls) {
    const read = readCall(call);
    if (read === undefined) return undefined;
    content.push(read);
  }
  return content;
}

function readCall(call: unknown): LanguageModelV4Content | undefined {
  if (!isRecord(call) || call["type"] !== "function" || !isAbsent(call["extra_content"])) {
    return undefined;
  }
  const { id, function: called } = call;
  if (typeof id !== "string" || id === "" || !isRecord(called)) return undefined;
  const { name, arguments: input } = called;
  if (typeof name !== "string" || typeof input !== "string") return undefined;
  return { type: "tool-call", toolCallId: id, toolName: name, input };
}

function readUsage(usage: Table): LanguageModelV4Usage | undefined {
  const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = usage;
  if (!isNumber(input) || !isNumber(output) || !isNumber(total)) return undefined;
  const inputDetails = readDetails(usage["prompt_tokens_details"]);
  const outputDetails = readDetails(usage["completion_tokens_details"]);
  if (inputDetails === undefined || outputDetails === undefined) return undefined;
  // Clients count these tokens differently.
  if (inputDetails["cache_write_tokens"] !== undefined) return undefined;
  const [read, written] = [input ?? 0, output ?? 0];
  const cached = inputDetails["cached_tokens"] ?? 0;
  const reasoning = outputDetails["reasoning_tokens"] ?? 0;
  return {
    inputTokens: { total: read, noCache: read - cached, cacheRead: cached, cacheWrite: undefined },
    outputTokens: { total: written, text: Math.max(0, written - reasoning), reasoning },
  };
}

const noDetails: Readonly<Record<string, number>> = {};

/** Returns the given counts of `details`; `undefined` when one of them is not a number. */
function readDetails(details: unknown): Readonly<Record<string, number>> | undefined {
  if (isAbsent(details)) return noDetails;
  if (!isRecord(details)) return undefined;
  const counts: Record<string, number> = {};
  for (const [name, count] of Object.entries(details)) {
    if (!isNumber(count)) return undefined;
    if (typeof count === "number") counts[name] = count;
  }
  return counts;
}

function unifyFinish(finish: string | null | undefined): LanguageModelV4FinishReason["unified"] {
  switch (finish) {
    case "stop":
    case "length":
      return finish;
    case "content_filter":
      return "content-filter";
    case "function_call":
    case "tool_calls":
      return "tool-calls";
    case null:
    case undefined:
    default:
      return "other";
  }
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

/** Reports whether a field is empty. Servers also send fields that they do not use. */
function isNothing(value: unknown): boolean {
  return isAbsent(value) || isEmptyList(value);
}

function isText(value: unknown): value is string | null | undefined {
  return isAbsent(value) || typeof value === "string";
}

function isNumber(value: unknown): value is number | null | undefined {
  return isAbsent(value) || Number.isFinite(value);
}
