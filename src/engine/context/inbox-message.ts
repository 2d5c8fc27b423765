import type { LanguageModelV4Message } from "@ai-sdk/provider";
import { userMessage } from "../../model/conversation.ts";
import type { Message } from "../../run/message.ts";
import { isRecord } from "../../source/json.ts";
import { tellMessage } from "../tell-message.ts";

/** A message to a run as part of its conversation. That of a result can be shortened later: `context_get` has the whole. */
export function toInboxMessage(message: Message): LanguageModelV4Message {
  const told = userMessage(tellMessage(message));
  if (message.kind !== "result") return told;
  return { ...told, providerOptions: { cadre: { resultOf: message.id } } };
}

/** The run whose result `message` tells; `undefined` for any other message. */
export function resultIn({ providerOptions }: LanguageModelV4Message): string | undefined {
  const { cadre } = providerOptions ?? {};
  const id = isRecord(cadre) ? cadre["resultOf"] : undefined;
  return typeof id === "string" ? id : undefined;
}
