import { createHash } from "node:crypto";
import { divideLines } from "../../line-reader.ts";
import { trackedBytes } from "../path/regular-file.ts";

/** A range of a file's lines. */
export interface LineWindow {
  lines: readonly string[];
  /** The number of lines in the file; `null` when the file was too large to be read to its end. */
  total: number | null;
  /** SHA-256 of the whole content in hex; `null` when the file was too large. */
  hash: string | null;
  isEmpty: boolean;
}

/** A source of lines: an open file, or bytes. */
export interface ByteSource {
  read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ bytesRead: number }>;
}

/** Returns bytes as a source. */
export function toByteSource(bytes: Buffer): ByteSource {
  return {
    read: async (buffer, ...[offset, length, position]) => ({
      bytesRead: bytes.copy(buffer, offset, position, position + length),
    }),
  };
}

const lineCharacters = 2000;
/** Enough bytes for that many characters in UTF-8. */
const lineBytes = lineCharacters * 4;
/** The maximum number of characters in one window, which is what a model gets of a file at once. */
const windowCharacters = 25_000;
/** The overhead of a line, in characters: the number, a tab and the line break. */
const marginCharacters = 8;

/**
 * Reads `limit` lines from line `offset` (from 1). It holds one piece of the file at a time, because a line may be as long as the
 * file, and stops early in files too large to be tracked.
 */
export async function readLines(
  source: ByteSource,
  range: { offset: number; limit: number; size: number; signal: AbortSignal },
): Promise<LineWindow> {
  const isTracked = range.size <= trackedBytes;
  const hash = createHash("sha256");
  const reader = createWindowReader(range);
  const piece = Buffer.alloc(256 * 1024);
  let position = 0;
  for (;;) {
    range.signal.throwIfAborted();
    const { bytesRead } = await source.read(piece, 0, piece.length, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const bytes = piece.subarray(0, bytesRead);
    // A file that grows while it is read (a log) must not be read endlessly.
    if (isTracked && position <= trackedBytes) hash.update(bytes);
    reader.push(bytes);
    if (reader.isFull() && position > trackedBytes)
      return { ...reader.result(), total: null, hash: null, isEmpty: false };
  }
  const { lines, total } = reader.end();
  const isWhole = isTracked && position <= trackedBytes;
  return { lines, total, hash: isWhole ? hash.digest("hex") : null, isEmpty: position === 0 };
}

interface WindowReader {
  push(bytes: Buffer): void;
  isFull(): boolean;
  result(): { lines: readonly string[] };
  end(): { lines: readonly string[]; total: number };
}

function createWindowReader(range: { offset: number; limit: number }): WindowReader {
  const lines: string[] = [];
  let number = 1;
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let length = 0;
  let characters = 0;
  const isFull = (): boolean => lines.length >= range.limit || characters >= windowCharacters;
  const isWanted = (): boolean => number >= range.offset && !isFull();

  function addToLine(bytes: Buffer): void {
    length += bytes.length;
    if (!isWanted() || keptBytes >= lineBytes) return;
    // Copied, because the buffer of the piece is reused.
    const part = Buffer.from(bytes.subarray(0, lineBytes - keptBytes));
    kept.push(part);
    keptBytes += part.length;
  }

  function endLine(): void {
    if (isWanted()) {
      const line = renderLine(Buffer.concat(kept), length, number === 1);
      lines.push(line);
      characters += line.length + marginCharacters;
    }
    number += 1;
    kept = [];
    keptBytes = 0;
    length = 0;
  }

  return {
    push: (bytes) => divideLines(bytes, addToLine, endLine),
    isFull,
    result: () => ({ lines }),
    end() {
      if (length > 0) endLine();
      return { lines, total: number - 1 };
    },
  };
}

function renderLine(bytes: Buffer, length: number, isFirst: boolean): string {
  const text = bytes.toString("utf8").replaceAll("\0", "\u2400");
  const shown = (isFirst ? text.replace(/^\uFEFF/, "") : text).replace(/\r$/, "");
  if (length <= bytes.length && shown.length <= lineCharacters) return shown;
  const cut = shown.slice(0, lineCharacters).replace(/[\uD800-\uDBFF]$/, "");
  return `${cut}… [line cut; it has ${length} bytes]`;
}
