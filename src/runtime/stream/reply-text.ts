import type { Part } from "./project-reply.ts";

/** A piece of text with its place in a stream. */
export interface TextPiece {
  id: string;
  step: string;
  text: string;
}

/** The text that a run's agent wrote, in replies of its conversation or as its result. */
export interface ReplyText {
  /** Takes the next part. Returns its text and whether it begins a new text; `undefined` for a part without one. */
  add(part: Part): { text: string; isNew: boolean } | undefined;
  /** Returns the end of `text`, the text of a result, that the last reply with a text lacks; `undefined` when it lacks nothing. */
  missingOf(text: string): TextPiece | undefined;
  readonly hasAny: boolean;
}

/** The step of a text that is in no reply. */
const resultStep = "result";

/** Reports whether `step` records the agent's own text, not an answer that a program requested. */
function isOfAgent(step: string): boolean {
  if (step === resultStep) return true;
  const end = step.lastIndexOf("/");
  return step.slice(step.lastIndexOf("/", end - 1) + 1, end) === "model";
}

/** Creates the tracker of the last text. A reply that was cut at the output limit and the next reply form one text. */
export function createReplyText(): ReplyText {
  let last: TextPiece = { id: "", step: "", text: "" };
  let isCut = false;
  let hasCalls = false;

  function endReply(part: Extract<Part, { type: "reply-finished" }>): void {
    if (!isOfAgent(part.step)) return;
    isCut = part.finish === "length" && !hasCalls;
    hasCalls = false;
  }

  return {
    get hasAny() {
      return last.text !== "";
    },
    add(part) {
      if (part.type === "tool-call") hasCalls = true;
      if (part.type === "reply-finished") endReply(part);
      if (part.type === "reply-discarded" && part.step === last.step) last = { ...last, step: "" };
      if (part.type !== "text" || !isOfAgent(part.step)) return undefined;
      const { id, step, text } = part;
      const isNew = step !== last.step && !isCut;
      last = { id, step, text: isNew ? text : last.text + text };
      isCut = false;
      return { text, isNew };
    },
    missingOf(text) {
      if (last.text.trim().endsWith(text.trim())) return undefined;
      if (last.text === "" || !text.startsWith(last.text)) {
        return { id: `${resultStep}/0`, step: resultStep, text };
      }
      return { ...last, text: text.slice(last.text.length) };
    },
  };
}
