import { make } from "./dom.js";

/** Shows the parts of a conversation as they arrive. */
export function createTalk() {
  const talk = make("div", { "aria-label": "Conversation" });
  const pieces = new Map();
  const calls = new Map();
  const say = (title, text, kind = "said") => {
    const body = make(kind === "pre" ? "pre" : "div", { class: "said" }, text);
    talk.append(make("article", {}, make("strong", {}, title), body));
    return body;
  };
  const fold = (title, text, isOpen = false) => {
    const details = make("details", {}, make("summary", {}, title), make("pre", {}, text));
    details.open = isOpen;
    talk.append(make("article", {}, details));
    return details;
  };
  const show = {
    "run-created": (part) => say(part.agent, part.task),
    text(part) {
      const body = pieces.get(part.id) ?? say("Answer", "");
      pieces.set(part.id, body);
      body.append(part.text);
    },
    reasoning(part) {
      const details = pieces.get(part.id) ?? fold("Reasoning", "");
      pieces.set(part.id, details);
      details.lastChild.append(part.text);
    },
    "tool-call"(part) {
      calls.set(part.id, fold(`Tool ${part.tool}`, JSON.stringify(part.input, null, 2)));
    },
    "tool-result"(part) {
      const place = calls.get(part.id) ?? fold("Result", "");
      place.append(make("pre", { class: part.isError ? "problem" : "" }, part.text));
    },
    "reply-discarded": (part) => say("Discarded", part.reason),
    "approval-requested": (part) => say("Question", part.request.title),
    "approval-answered": (part) => say("Answered", part.answer.decision),
    message: (part) => say(`Message of ${part.from}`, part.text),
    warning: (part) => say("Warning", part.message),
    "attempt-failed": (part) => say("Attempt failed", part.failure.message),
    "run-finished"(part) {
      const { status, failure } = part.result;
      say("End", failure === undefined ? status : `${status}: ${failure.message}`);
    },
  };
  return {
    element: talk,
    take: (part) => show[part.type]?.(part),
    clear() {
      talk.replaceChildren();
      pieces.clear();
      calls.clear();
    },
  };
}

export function follow(id, talk) {
  const source = new EventSource(`/api/v1/runs/${encodeURIComponent(id)}/stream`);
  const take = (event) => {
    const part = JSON.parse(event.data);
    if (part.runId !== id) return;
    talk.take(part);
    if (part.type === "run-finished") source.close();
  };
  // A new connection begins with the first part again.
  source.addEventListener("open", () => talk.clear());
  for (const type of partTypes) source.addEventListener(type, take);
  return () => source.close();
}

const partTypes = [
  "run-created",
  "text",
  "reasoning",
  "tool-call",
  "tool-result",
  "reply-discarded",
  "approval-requested",
  "approval-answered",
  "message",
  "warning",
  "attempt-failed",
  "run-finished",
];
