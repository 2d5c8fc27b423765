import type { LanguageModelV4Message } from "@ai-sdk/provider";
import { userMessage } from "../../model/conversation.ts";
import type { Message } from "../../run/message.ts";
import { isRecord } from "../../source/json.ts";
import { formatMessage } from "./format-message.ts";

/**
 * Converts a message to a run into a message of its conversation. A result can be shortened later, because `context_get` returns
 * it whole.
 */
export function toInboxMessage(message: Message): LanguageModelV4Message {
  const userTurn = userMessage(formatMessage(message));
  if (message.kind !== "result") return userTurn;
  return { ...userTurn, providerOptions: { cadre: { resultOf: message.id } } };
}

/** Returns the id of the run whose result `message` carries; `undefined` for other messages. */
export function resultIn({ providerOptions }: LanguageModelV4Message): string | undefined {
  const { cadre } = providerOptions ?? {};
  const id = isRecord(cadre) ? cadre["resultOf"] : undefined;
  return typeof id === "string" ? id : undefined;
}
