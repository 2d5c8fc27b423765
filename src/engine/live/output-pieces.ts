import { randomUUID } from "node:crypto";
import type { Activities } from "./activities.ts";
import type { OutputPiece } from "./live-message.ts";
import type { LiveOutput } from "./live-output.ts";
import type { LiveReply } from "./live-reply.ts";

/** The number of characters of each block and output that were sent to one reader. */
export type SentCharacters = WeakMap<object, number>;

/** The maximum number of characters in a piece. JSON escapes each with up to six bytes. */
const pieceCharacters = 800;
/** The maximum overhead of a piece besides its text, in bytes. */
const maxHeadBytes = 900;

/** Creates a function that returns the arrived but unsent output of some runs, and records it in `sent`. */
export function createOutputPieces(
  activities: Pick<Activities, "replies" | "outputs">,
): (runs: Iterable<string>, sent: SentCharacters) => Iterable<OutputPiece> {
  const nameReply = createReplyNames();
  return function* pieces(runs, sent) {
    for (const run of runs) {
      for (const reply of activities.replies(run)) {
        const name = nameReply(reply);
        for (const [number, block] of reply.blocks.entries()) {
          const { text, ...kind } = block;
          const head = { run, step: reply.step, reply: name, block: number, ...kind };
          yield* divide(head, { whole: block, text, begin: 0 }, sent);
        }
      }
      for (const output of activities.outputs(run)) yield* piecesOfOutput(run, output, sent);
    }
  };
}

/** Names replies. A repeated request has another reply for the same step. */
function createReplyNames(): (reply: LiveReply) => string {
  const names = new WeakMap<LiveReply, string>();
  // Another process may have begun a reply of the same step.
  const own = randomUUID();
  let count = 0;
  return (reply) => {
    const known = names.get(reply);
    if (known !== undefined) return known;
    count += 1;
    const name = `${own}/${count}`;
    names.set(reply, name);
    return name;
  };
}

/** Returns pieces of an output. Only its last part is kept, so the text before that is left out. */
function piecesOfOutput(
  run: string,
  output: LiveOutput,
  sent: SentCharacters,
): Iterable<OutputPiece> {
  const { step, text, total } = output;
  const head = { run, step, reply: "", block: 0, type: "tool-output" } as const;
  return divide(head, { whole: output, text, begin: total - text.length }, sent);
}

/** Divides the unsent part of a text, which begins at the character `begin`, into pieces. */
function* divide(
  head: Omit<OutputPiece, "at" | "text">,
  { whole, text, begin }: { whole: object; text: string; begin: number },
  sent: SentCharacters,
): Iterable<OutputPiece> {
  const before = sent.get(whole);
  const end = begin + text.length;
  const isNewCall = before === undefined && head.type === "tool-input";
  if (end === (before ?? 0) && !isNewCall) return;
  // The names of steps and tools may have any length.
  if (Buffer.byteLength(JSON.stringify(head)) > maxHeadBytes) return;
  sent.set(whole, end);
  let at = Math.max(before ?? 0, begin);
  do {
    yield { ...head, at, text: text.slice(at - begin, at - begin + pieceCharacters) };
    at += pieceCharacters;
  } while (at < end);
}
