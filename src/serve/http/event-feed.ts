/** The events of all runs for many readers: each event is read and serialised once for all of them. */

import { setImmediate as turn, setTimeout as delay } from "node:timers/promises";
import type { Cadre, PositionedEvent, RunEvent } from "../../host.ts";
import { formatSentEvent } from "./sent-event.ts";
import { encodePart, type StreamEncoding } from "./stream-encoding.ts";
import { createReadingQueue, type TurnOptions } from "./reading-queue.ts";

/** Sends the events of all runs to any number of readers. */
export interface EventFeed {
  /**
   * Iterates over server-sent events as text, in pieces: the events after the position `after` (default: only new ones), of all runs or
   * of the family `root`. New events are collected for a tenth of a second, plus a millisecond for each reader.
   */
  follow(
    which: {
      after?: string | undefined;
      root?: string | undefined;
      encoding?: StreamEncoding;
    },
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void>;
}

/** An event as it is sent. */
interface Item {
  position: string;
  runId: string;
  text: string;
}

/** Consecutive events. */
interface Piece {
  from: string;
  to: string;
  items: readonly Item[];
  /** The bytes of the whole piece, by encoding and root. */
  sent: Map<string, Promise<Uint8Array>>;
}

/** The number of characters after which a piece ends. A busy project writes less between two turns, even on a busy machine. */
const pieceLength = 1024 * 1024;
/** The number of pieces that are kept for other readers at the same position. */
const maxPieces = 16;
/** The maximum number of events in one reading of the journal. */
const eventsAtOnce = 4000;
/** The number of events after which a reading yields to the runs. */
const eventsAtATime = 500;
/** How long events are collected before they are sent, in milliseconds. Each reader adds to this time. */
const minPauseMs = 100;
/** The pause per reader, in milliseconds. Sending to a reader takes about a twentieth of it. */
const pauseOfReaderMs = 1;

/** Creates the feed of a project. It reads nothing while it has no readers. `ending` ends it. */
export function createEventFeed(
  cadre: Pick<Cadre, "events" | "position" | "tree">,
  ending: AbortSignal,
): EventFeed {
  const families = createFamilies(cadre);
  const reading = createReading(cadre, families);
  let readers = 0;
  let waiting: Promise<Piece> | undefined;

  /** Resolves with the piece after `position`, the end of the journal, for all readers there. */
  async function wait(position: string): Promise<Piece> {
    for (;;) {
      await delay(minPauseMs + readers * pauseOfReaderMs, undefined, { signal: ending });
      const piece = await reading.read(position, { weight: readers, isFirst: true });
      if (piece !== undefined) return piece;
      const events = cadre.events({ after: position, signal: ending });
      await events.next();
      await events.return(undefined);
      ending.throwIfAborted();
    }
  }

  async function next(position: string, signal: AbortSignal): Promise<Piece> {
    for (;;) {
      if (reading.isEnd(position)) {
        waiting ??= wait(position).finally(() => (waiting = undefined));
        const piece = await orAborted(waiting, signal);
        if (piece.from === position) return piece;
      }
      const piece = await orAborted(reading.read(position), signal);
      if (piece !== undefined) return piece;
    }
  }

  return {
    async *follow({ after, root, encoding = "identity" }, signal) {
      readers += 1;
      try {
        let position = after ?? (await cadre.position());
        // After the position is known, so that no new run is missed.
        if (root !== undefined) await families.enter(root);
        while (!signal.aborted) {
          const piece = await next(position, signal);
          const bytes = await toBytes(piece, { root, encoding }, families);
          position = piece.to;
          if (bytes.length > 0) yield bytes;
        }
      } finally {
        readers -= 1;
        if (root !== undefined) families.leave(root);
      }
    },
  };
}

/** Reads the journal in pieces and keeps them for all readers. */
interface Reading {
  /**
   * Returns the piece after a position; `undefined` at the end of the journal. Readers at one position share a turn, even when the piece
   * is kept, because their own work takes time too.
   */
  read(position: string, how?: TurnOptions): Promise<Piece | undefined>;
  /** Reports whether the journal ended at a position when it was last read. */
  isEnd(position: string): boolean;
}

function createReading(cadre: Pick<Cadre, "events">, families: FollowedFamilies): Reading {
  /** The pieces by the position before their first event; the most recently used piece is last. */
  const pieces: Pieces = new Map();
  const queue = createReadingQueue(findOrRead);
  let end: string | undefined;

  async function readOn(from: string): Promise<Piece | undefined> {
    const items: Item[] = [];
    let isEnd = true;
    for await (const one of cadre.events({ after: from, live: false })) {
      families.learn(one.event);
      items.push(toItem(one));
      if (items.length % eventsAtATime === 0) await turn();
      // Known events are not read again, so all readers soon start at the same pieces.
      isEnd = items.length < eventsAtOnce && !pieces.has(one.position);
      if (!isEnd) break;
    }
    if (isEnd) end = items.at(-1)?.position ?? from;
    else if (end === from) end = undefined;
    const [first, ...others] = cut(from, items);
    for (const piece of first === undefined ? [] : [...others.toReversed(), first]) {
      keep(pieces, piece);
    }
    return first;
  }

  async function findOrRead(from: string): Promise<Piece | undefined> {
    const known = pieces.get(from) ?? findRest(pieces, from);
    if (known === undefined) return await readOn(from);
    keep(pieces, known);
    return known;
  }

  return { read: queue.take, isEnd: (position) => position === end };
}

type Pieces = Map<string, Piece>;

function keep(pieces: Pieces, piece: Piece): void {
  pieces.delete(piece.from);
  pieces.set(piece.from, piece);
  const [oldest] = pieces.keys();
  if (pieces.size > maxPieces && oldest !== undefined) pieces.delete(oldest);
}

/** Returns the kept events after a position in the middle of a piece. */
function findRest(pieces: Pieces, position: string): Piece | undefined {
  const all = [...pieces.values()];
  // Most readers are at the end of a piece, and so not in the middle of one.
  if (all.some(({ to }) => to === position)) return undefined;
  for (const { items, to } of all) {
    const at = items.findIndex((item) => item.position === position);
    if (at >= 0) return { from: position, to, items: items.slice(at + 1), sent: new Map() };
  }
  return undefined;
}

/** Encodes a piece once for all its readers. */
async function toBytes(
  { items, sent }: Piece,
  { root, encoding }: { root: string | undefined; encoding: StreamEncoding },
  families: FollowedFamilies,
): Promise<Uint8Array> {
  const key = `${encoding} ${root ?? ""}`;
  const known = sent.get(key);
  if (known !== undefined) return await known;
  const wanted = items.filter(({ runId }) => root === undefined || families.has(root, runId));
  const bytes = encodePart(wanted.map(({ text }) => text).join(""), encoding);
  sent.set(key, bytes);
  return await bytes;
}

function toItem({ position, event, json }: PositionedEvent): Item {
  const text = formatSentEvent({ id: position, type: event.type, data: event, json });
  return { position, runId: event.runId, text };
}

function cut(from: string, items: readonly Item[]): Piece[] {
  const pieces: Piece[] = [];
  let some: Item[] = [];
  let length = 0;
  let begin = from;
  for (const [index, item] of items.entries()) {
    some.push(item);
    length += item.text.length;
    if (length < pieceLength && index < items.length - 1) continue;
    pieces.push({ from: begin, to: item.position, items: some, sent: new Map() });
    begin = item.position;
    some = [];
    length = 0;
  }
  return pieces;
}

/** Tracks the runs of the families that readers follow. */
interface FollowedFamilies {
  /** Adds a reader of the family of `root`. */
  enter(root: string): Promise<void>;
  leave(root: string): void;
  /** Adds new runs to their families. */
  learn(event: RunEvent): void;
  has(root: string, runId: string): boolean;
}

interface Family {
  readers: number;
  runIds: Set<string>;
  /** Resolves when the family's existing runs are known. */
  loading?: Promise<void>;
}

function createFamilies({ tree }: Pick<Cadre, "tree">): FollowedFamilies {
  const families = new Map<string, Family>();
  async function load(root: string, { runIds }: Family): Promise<void> {
    for (const { id } of await tree(root)) runIds.add(id);
  }
  return {
    async enter(root) {
      const family = families.get(root) ?? { readers: 0, runIds: new Set() };
      family.readers += 1;
      families.set(root, family);
      family.loading ??= load(root, family);
      await family.loading;
    },
    leave(root) {
      const family = families.get(root);
      if (family === undefined) return;
      family.readers -= 1;
      if (family.readers === 0) families.delete(root);
    },
    learn(event) {
      if (event.type === "run-created") families.get(event.spec.rootId)?.runIds.add(event.runId);
    },
    has: (root, runId) => families.get(root)?.runIds.has(runId) === true,
  };
}

async function orAborted<Value>(waiting: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = Promise.withResolvers<never>();
  const leave = (): void => aborted.reject(signal.reason as Error);
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  try {
    return await Promise.race([waiting, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
