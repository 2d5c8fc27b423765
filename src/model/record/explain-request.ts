import { CadreError } from "../../errors.ts";
import type { JsonValue } from "../../source/json.ts";
import type { Recording } from "./recording.ts";
import { type RequestRecord, roleOf } from "./request-record.ts";

/** The maximum number of differing lines shown of each side. */
const maxLines = 12;
/** Longer lines are cut in the middle of the difference. */
const maxLineLength = 300;

/** Creates the error for a request without a recorded reply. Shows the difference from the most similar recorded request. */
export function createUnknownRequest(request: RequestRecord, recording: Recording): CadreError {
  const { file } = recording;
  const turn = request.messages.filter((message) => roleOf(message) === "assistant").length;
  const times = recording.count(request);
  const last = request.messages.at(-1);
  const end = JSON.stringify(last === undefined ? "" : textsOf(last).join("\n").slice(-500));
  const known = times === 0 ? "not recorded" : `recorded ${times} time(s) and requested once more`;
  const difference = times === 0 ? describeDifference(request, recording.requests()) : "";
  return new CadreError(
    "model-error",
    `In ${file}, turn ${turn} of this conversation, which ends with ${end}, was ${known}. ` +
      `Record it again with the same instructions, tools and task.${difference}`,
    { details: { kind: "not-recorded", turn } },
  );
}

function describeDifference(request: RequestRecord, recorded: readonly RequestRecord[]): string {
  const asked = linesOf(request);
  const ranked = recorded
    .map((one) => linesOf(one))
    .map((lines) => ({ lines, score: similarity(lines, asked) }))
    .toSorted((left, right) => right.score - left.score);
  const nearest = ranked[0]?.lines;
  if (nearest === undefined) return " The recording is empty.";
  return `\nThe most similar recorded request differs (- recorded, + requested):\n${differenceOf(nearest, asked)}`;
}

/** Returns the share of lines that both have. */
function similarity(left: readonly string[], right: readonly string[]): number {
  const others = new Set(right);
  const common = left.filter((line) => others.has(line)).length;
  return (2 * common) / Math.max(1, left.length + right.length);
}

function differenceOf(recorded: readonly string[], asked: readonly string[]): string {
  const length = Math.min(recorded.length, asked.length);
  let start = 0;
  while (start < length && recorded[start] === asked[start]) start += 1;
  let end = 0;
  while (end < length - start && recorded.at(-1 - end) === asked.at(-1 - end)) end += 1;
  return [
    ...showLines("-", recorded.slice(start, recorded.length - end)),
    ...showLines("+", asked.slice(start, asked.length - end)),
  ].join("\n");
}

function showLines(sign: string, lines: readonly string[]): string[] {
  const shown = lines.slice(0, maxLines).map((line) => `${sign} ${line.slice(0, maxLineLength)}`);
  const left = lines.length - shown.length;
  return left > 0 ? [...shown, `${sign} … ${left} more lines`] : shown;
}

/** Returns a request as comparable lines. */
function linesOf({ tools, settings, messages }: RequestRecord): string[] {
  return [
    ...Object.entries(tools).map(([name, hash]) => `tool ${name} (schema ${hash})`),
    ...Object.entries(settings).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    ...messages.flatMap((message) => {
      const role = roleOf(message);
      return textsOf(message)
        .flatMap((text) => text.split("\n"))
        .map((line) => `${role}: ${line}`);
    }),
  ];
}

function textsOf(message: JsonValue): string[] {
  if (typeof message !== "object" || message === null || Array.isArray(message)) return [];
  const { content } = message;
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [JSON.stringify(content ?? null)];
  return content.map((part) => {
    const isText = typeof part === "object" && part !== null && !Array.isArray(part);
    return isText && part["type"] === "text" && typeof part["text"] === "string"
      ? part["text"]
      : JSON.stringify(part);
  });
}
