import type { Message } from "../run/message.ts";

/** A message as the run it is for reads it: a result speaks for itself. */
export function tellMessage({ kind, from, text }: Message): string {
  return kind === "result" ? text : `[Message from ${from}]:\n${text}`;
}
