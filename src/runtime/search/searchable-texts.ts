import type { IndexedText } from "../../registry/sqlite/search-index.ts";
import type { RunEvent } from "../../run/event.ts";
import { isRecord } from "../../source/json.ts";
import { readRecordedReply } from "../stream/recorded-reply.ts";
import type { SaidKind } from "../run-search.ts";

/** The number of searchable characters of each text. */
const maxTextLength = 20_000;

/** Returns the searchable texts of an event. */
export function searchableTexts(event: RunEvent): IndexedText[] {
  return listTexts(event)
    .filter(([, text]) => text.trim() !== "")
    .map(([kind, text]) => ({
      runId: event.runId,
      seq: event.seq,
      kind,
      // Removes the marks of excerpts, and characters that would control a terminal.
      // oxlint-disable-next-line no-control-regex
      text: text.slice(0, maxTextLength).replaceAll(/[\0-\u0008\u000E-\u001F\u007F]/g, " "),
    }));
}

function listTexts(event: RunEvent): [SaidKind, string][] {
  if (event.type === "run-created") return [["task", event.spec.task]];
  if (event.type === "message-queued") return [["message", event.message.text]];
  if (event.type === "step-finished") {
    return event.kind === "model" ? listReply(event) : listResult(event);
  }
  if (event.type === "run-finished") {
    const { failure, own, text } = event.result;
    if (failure !== undefined) return [["failure", failure.message]];
    // For an agent, the replies contain the answer.
    return own?.turns === 0 ? [["answer", text]] : [];
  }
  return [];
}

function listReply({ value }: Extract<RunEvent, { type: "step-finished" }>): [SaidKind, string][] {
  return readRecordedReply(value).parts.flatMap((part): [SaidKind, string][] => {
    if (part.type === "text") return [["answer", part.text]];
    if (part.type === "tool-call") return [["call", `${part.tool} ${JSON.stringify(part.input)}`]];
    return [];
  });
}

function listResult({
  kind,
  value,
}: Extract<RunEvent, { type: "step-finished" }>): [SaidKind, string][] {
  const text = kind === "tool" && isRecord(value) ? value["text"] : undefined;
  return typeof text === "string" ? [["result", text]] : [];
}
