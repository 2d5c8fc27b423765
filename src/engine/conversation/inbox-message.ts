import type { LanguageModelV4Message } from "@ai-sdk/provider";
import { userMessage } from "../../model/conversation.ts";
import type { Message } from "../../run/message.ts";
import { isRecord } from "../../source/json.ts";
import { tellMessage } from "./tell-message.ts";

/**
 * Converts a message to a run into a message of its conversation. A result can be shortened later, because `context_get` returns
 * it whole.
 */
export function toInboxMessage(message: Message): LanguageModelV4Message {
  const told = userMessage(tellMessage(message));
  if (message.kind !== "result") return told;
  return { ...told, providerOptions: { cadre: { resultOf: message.id } } };
}

/** Returns the id of the run whose result `message` carries; `undefined` for other messages. */
export function resultIn({ providerOptions }: LanguageModelV4Message): string | undefined {
  const { cadre } = providerOptions ?? {};
  const id = isRecord(cadre) ? cadre["resultOf"] : undefined;
  return typeof id === "string" ? id : undefined;
}
