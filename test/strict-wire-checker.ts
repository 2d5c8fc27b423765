import {
  isTable,
  readWireRequest,
  type ReportProblem,
  type Turn,
  type Wire,
  type WireRequest,
} from "./wire-request.ts";

/** The largest request that providers accept, in characters of JSON. */
const maxRequestCharacters = 32_000_000;

/** Returns the wire format of a request to `url`; `null` if it is not a request to a model. */
export function wireOf(url: string): Wire | null {
  if (url.endsWith("/messages")) return "anthropic";
  if (url.endsWith("/chat/completions")) return "openai-chat";
  if (url.endsWith("/responses")) return "openai-responses";
  return /:(?:streamG|g)enerateContent/.test(url) ? "gemini" : null;
}

/**
 * Checks a request as strictly as the strictest provider of its format. Returns its problems.
 *
 * Every tool call is answered exactly once, directly after it; turns alternate and begin with the user; tools have names and
 * schemas that are accepted; ids are unique; no block is empty; pictures are base64 of their type.
 */
export function checkWire(wire: Wire, body: unknown): string[] {
  const problems: string[] = [];
  const report = (problem: string): void => void problems.push(problem);
  const request = isTable(body) ? readWireRequest(wire, body, report) : null;
  if (request === null) return ["the body is not an object"];
  checkTools(request.tools, report);
  checkTurns(request.turns, report);
  const size = JSON.stringify(body).length;
  if (size > maxRequestCharacters) report(`the request has ${size} characters`);
  return problems;
}

function checkTools(tools: WireRequest["tools"], report: ReportProblem): void {
  const names = new Set<unknown>();
  for (const { name, schema } of tools) {
    if (typeof name !== "string" || !/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name)) {
      report(`tool name ${JSON.stringify(name)} is not accepted`);
    }
    if (names.has(name)) report(`tool ${String(name)} occurs twice`);
    names.add(name);
    if (!isTable(schema) || String(schema["type"]).toLowerCase() !== "object") {
      report(`tool ${String(name)} has no object schema`);
    }
  }
}

function checkTurns(turns: readonly Turn[], report: ReportProblem): void {
  const ids = new Set<string>();
  let open: string[] = [];
  if (turns.length === 0) report("there is no message");
  for (const [index, turn] of turns.entries()) {
    const place = `turn ${index}`;
    if (turn.role !== (index % 2 === 0 ? "user" : "model")) report(`${place} is out of order`);
    checkAnswers(turn, open, (problem) => report(`${place}: ${problem}`));
    open = turn.calls.map((call) => call.id);
    for (const call of turn.calls) {
      if (call.id === "") report(`${place} has a call without an id`);
      if (ids.has(call.id)) report(`${place} uses the call id ${call.id} again`);
      ids.add(call.id);
      if (!/^[A-Za-z0-9_-]{1,64}$/.test(call.id)) report(`${place} has the call id ${call.id}`);
      if (!/^[A-Za-z0-9_-]{1,64}$/.test(String(call.name)))
        report(`${place} calls ${String(call.name)}`);
      if (!isTable(call.input))
        report(`${place}: the arguments of ${String(call.name)} are no object`);
    }
    if (turn.calls.length + turn.answers.length + turn.blocks.length + turn.images.length === 0) {
      report(`${place} is empty`);
    }
    for (const { text } of turn.blocks) {
      if (typeof text !== "string" || text.trim() === "") report(`${place} has an empty block`);
    }
    for (const image of turn.images) checkImage(image, (problem) => report(`${place}: ${problem}`));
  }
  if (open.length > 0) report(`the calls ${open.join(", ")} are never answered`);
}

function checkAnswers(turn: Turn, open: readonly string[], report: ReportProblem): void {
  const answered = turn.answers.map(({ id }) => id);
  for (const id of open) {
    const times = answered.filter((other) => other === id).length;
    if (times !== 1) report(`the call ${id} is answered ${times} times`);
  }
  for (const id of answered)
    if (!open.includes(id)) report(`${id} answers no call right before it`);
  if (turn.answers.length > 0 && turn.blocks.some((block) => block.beforeAnswer)) {
    report("something is said before the answers");
  }
}

function checkImage({ mediaType, data }: Turn["images"][number], report: ReportProblem): void {
  if (!/^image\/(?:png|jpeg|gif|webp)$/.test(String(mediaType)))
    report(`picture of ${String(mediaType)}`);
  if (typeof data !== "string" || data === "" || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) {
    report("a picture that is not base64");
  }
}
