import type { Message } from "../../run/message.ts";

/** The text of a message as its receiver reads it. Results carry their own introduction. */
export function tellMessage({ kind, from, text }: Message): string {
  return kind === "result" ? text : `[Message from ${from}]:\n${text}`;
}
