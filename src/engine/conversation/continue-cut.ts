import type { LanguageModelV4Message } from "@ai-sdk/provider";
import { userMessage } from "../../model/conversation.ts";

/** The message after an answer that was cut at the output limit. */
export function continueCut(): LanguageModelV4Message {
  return userMessage("Your answer was cut off. Continue exactly where it stopped.");
}
