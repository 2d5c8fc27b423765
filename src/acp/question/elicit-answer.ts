import type { ElicitAnswer } from "../../host.ts";

/** Converts a form's answer, in either version of the protocol. */
export function toElicitAnswer({
  action,
  content,
}: {
  action: string;
  content?: object | null | undefined;
}): ElicitAnswer {
  if (action === "accept") return { action, content: { ...content } };
  return { action: action === "decline" ? "decline" : "cancel" };
}
