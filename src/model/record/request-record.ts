/** A request to a model, in the form in which recordings compare and store it. */

import { createHash } from "node:crypto";
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { isRecord, type JsonValue } from "../../source/json.ts";
import { hideTimes, type Placeholders } from "../../source/placeholders.ts";

/** The settings and the messages of a request. Omits provider options (cache marks, signatures), which differ in a replay. */
export interface RequestRecord {
  /** The hash of each tool's description and schema, by tool name. */
  tools: Readonly<Record<string, string>>;
  /** Temperature, effort, tool choice and response format, if set. */
  settings: Readonly<Record<string, JsonValue>>;
  messages: readonly JsonValue[];
}

/** How {@link toRequestRecord} replaces values that differ between executions. */
export interface RequestRecordOptions {
  placeholders: Placeholders;
  /** Removes secrets. */
  redact: (text: string) => string;
}

/** Longer file data is stored as its hash. */
const maxDataLength = 200;

/** Normalizes a request: removes secrets, and replaces ids, times and temporary folders by placeholders. */
export function toRequestRecord(
  call: LanguageModelV4CallOptions,
  { placeholders, redact }: RequestRecordOptions,
): RequestRecord {
  const { prompt, tools = [], temperature, reasoning, toolChoice, responseFormat } = call;
  const callIds = new Map<string, string>();
  const normalise = (text: string): JsonValue =>
    JSON.parse(placeholders.hide(hideTimes(text))) as JsonValue;
  const write = (value: unknown): string =>
    JSON.stringify(value, (key, item: unknown) => {
      const replaced = replaceValue(key, item, callIds);
      return typeof replaced === "string" ? redact(replaced) : replaced;
    }) ?? "null";
  return {
    tools: Object.fromEntries(tools.map((tool) => [tool.name, hash(write(tool)).slice(0, 12)])),
    settings: normalise(
      write({ temperature, reasoning, toolChoice: choiceOf(toolChoice), responseFormat }),
    ) as Record<string, JsonValue>,
    messages: prompt.map((message) =>
      normalise(message.role === "system" ? hideEnvironment(write(message)) : write(message)),
    ),
  };
}

/** Hides the current date and the platform in instructions. Dates elsewhere are content. */
function hideEnvironment(text: string): string {
  return hideTimes(text, { dates: true }).replace(/- Platform: \w+/, "- Platform: <platform>");
}

/** `auto` is the default of every provider. */
function choiceOf(choice: LanguageModelV4CallOptions["toolChoice"]): unknown {
  return choice?.type === "auto" ? undefined : choice;
}

/** Returns the key of a request, or of one with only the first `length` of its messages. */
export function keyOf({ tools, settings, messages }: RequestRecord, length?: number): string {
  const text = JSON.stringify({ tools, settings, messages: messages.slice(0, length) });
  return hash(text).slice(0, 32);
}

/** Returns the number of messages of the conversation's previous request; 0 for the first request. */
export function previousLength({ messages }: RequestRecord): number {
  return Math.max(
    0,
    messages.findLastIndex((message) => roleOf(message) === "assistant"),
  );
}

/** Returns the role of a recorded message. */
export function roleOf(message: JsonValue): string {
  const role = isRecord(message) ? message["role"] : undefined;
  return typeof role === "string" ? role : "?";
}

function replaceValue(key: string, value: unknown, callIds: Map<string, string>): unknown {
  if (key === "providerOptions") return undefined;
  if (key === "toolCallId" && typeof value === "string") {
    const name = callIds.get(value) ?? `call-${callIds.size + 1}`;
    callIds.set(value, name);
    return name;
  }
  if (value instanceof Uint8Array) return `sha256:${hash(value)}`;
  return key === "data" && typeof value === "string" && value.length > maxDataLength
    ? `sha256:${hash(value)}`
    : value;
}

function hash(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
