import type { Message } from "../../run/message.ts";

/** Returns the text of a message for its receiver. Results include their own introduction. */
export function formatMessage({ kind, from, text }: Message): string {
  return kind === "result" ? text : `[Message from ${from}]:\n${text}`;
}
