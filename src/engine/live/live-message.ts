import { z } from "zod";
import { onFirstUse } from "../../on-first-use.ts";

/** A message from a reader of runs to the processes that execute them. */
export interface ReaderMessage {
  /** Whether the sender starts to read these runs or stops. */
  type: "read" | "leave";
  from: string;
  /** A new value says that pieces were lost, and that everything must be sent again. */
  session: string;
  runs: readonly string[];
}

/** A piece of a reply, or of the output of a tool call. */
export interface OutputPiece {
  run: string;
  /** The key of its step. */
  step: string;
  /** Distinguishes the replies to repeated requests of one step; "" for an output. */
  reply: string;
  /** The number of the block in the reply; 0 for an output. */
  block: number;
  type: "text" | "reasoning" | "tool-input" | "tool-output";
  /** The tool, for a `tool-input`. */
  tool?: string | undefined;
  /** The number of characters before this piece. */
  at: number;
  text: string;
}

/** The topic from readers to the processes that execute runs. */
export const readersTopic = "readers";
/** An empty message on this topic asks all readers which runs they read. Its sender has just begun to execute runs. */
export const startsTopic = "starts";

const id = (): z.ZodString => z.string().max(300);

const readerMessage = onFirstUse((): z.ZodType<ReaderMessage> =>
  z.strictObject({
    type: z.enum(["read", "leave"]),
    from: id(),
    session: id(),
    runs: z.array(id()).max(1000),
  }),
);

const pieces = onFirstUse((): z.ZodType<OutputPiece[]> =>
  z.array(
    z.strictObject({
      run: id(),
      step: z.string(),
      reply: id(),
      block: z.int().min(0).max(10_000),
      type: z.enum(["text", "reasoning", "tool-input", "tool-output"]),
      tool: z.string().optional(),
      at: z.int().min(0),
      text: z.string(),
    }),
  ),
);

/** Parses a reader's message; `undefined` for anything else, which another version of Cadre may send. */
export function parseReaderMessage(message: string): ReaderMessage | undefined {
  return parse(readerMessage(), message);
}

/** Parses pieces of replies and outputs; empty for anything else. */
export function parsePieces(message: string): OutputPiece[] {
  return parse(pieces(), message) ?? [];
}

function parse<Value>(schema: z.ZodType<Value>, message: string): Value | undefined {
  try {
    return schema.safeParse(JSON.parse(message)).data;
  } catch {
    return undefined;
  }
}

/** The maximum number of run ids in one reader's message. */
const runsAtOnce = 100;

/** Writes a reader's message about its runs as messages of limited length. */
export function writeReaderMessages(message: ReaderMessage): string[] {
  const parts: string[] = [];
  for (let at = 0; at < message.runs.length; at += runsAtOnce) {
    parts.push(JSON.stringify({ ...message, runs: message.runs.slice(at, at + runsAtOnce) }));
  }
  return parts;
}

/** Writes pieces as messages of at most `maxBytes`. Each piece fits into one message. */
export function writePieces(all: Iterable<OutputPiece>, maxBytes: number): string[] {
  const messages: string[] = [];
  let items: string[] = [];
  let bytes = 2;
  const finish = (): void => {
    if (items.length > 0) messages.push(`[${items.join(",")}]`);
    items = [];
    bytes = 2;
  };
  for (const piece of all) {
    const item = JSON.stringify(piece);
    const size = Buffer.byteLength(item) + 1;
    if (bytes + size > maxBytes) finish();
    items.push(item);
    bytes += size;
  }
  finish();
  return messages;
}
