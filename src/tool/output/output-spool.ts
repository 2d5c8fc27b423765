import type { FileHandle } from "node:fs/promises";
import {
  cutMiddle,
  openOutputFile,
  outputLimit,
  wholeIn,
  type OutputLocation,
} from "./output-cap.ts";

/** Collects output of any length in bounded memory. */
export interface OutputSpool {
  /** Waits for the disk, which slows down a fast producer. */
  write(bytes: Buffer): Promise<void>;
  /** Returns the text for the model, and the file with the whole output when it is too long. */
  finish(): Promise<{ text: string; file: string | null }>;
}

/** The bytes kept of each end: more than the characters shown, so that a cut finds a line break. */
const endBytes = 128 * 1024;
/** Leaves room for what a tool adds to the text. */
const shownCharacters = outputLimit - 1000;
/** The maximum number of stored bytes. */
const fileBytes = 50 * 1024 * 1024;

/** Creates a spool. Output too long to show goes to a file in the output folder, up to 50 MiB. */
export function createOutputSpool(location: OutputLocation): OutputSpool {
  let head: Buffer[] = [];
  let headBytes = 0;
  let tail: Buffer[] = [];
  let tailBytes = 0;
  let total = 0;
  let stored = 0;
  let file: { handle: FileHandle; path: string } | null = null;

  async function store(bytes: Buffer): Promise<void> {
    if (file === null) {
      file = await openOutputFile(location);
      for (const piece of head) await file.handle.write(piece);
      stored = headBytes;
    }
    const rest = bytes.subarray(0, Math.max(fileBytes - stored, 0));
    if (rest.length > 0) await file.handle.write(rest);
    stored += rest.length;
  }

  function keepTail(bytes: Buffer): void {
    tail.push(bytes);
    tailBytes += bytes.length;
    while (tailBytes - (tail[0]?.length ?? 0) > endBytes) tailBytes -= tail.shift()?.length ?? 0;
  }

  return {
    async write(bytes) {
      total += bytes.length;
      const isSmall = headBytes + bytes.length <= endBytes && file === null;
      if (!isSmall) {
        await store(bytes);
        keepTail(bytes);
        return;
      }
      head.push(bytes);
      headBytes += bytes.length;
    },
    async finish() {
      const start = Buffer.concat(head).toString("utf8");
      const isShort = file === null && start.length <= shownCharacters;
      if (!isShort && file === null) await store(Buffer.alloc(0));
      await file?.handle.close();
      const path = file?.path ?? null;
      if (path === null) return { text: start, file: null };
      const end = Buffer.concat([...(tailBytes < endBytes ? head : []), ...tail]).toString("utf8");
      const rest =
        stored < total
          ? `The first ${stored} of ${total} bytes are in ${path}: use Read or Grep.`
          : wholeIn(path);
      head = [];
      tail = [];
      return {
        text: cutMiddle({ head: start, tail: end, length: total, limit: shownCharacters, rest }),
        file: path,
      };
    },
  };
}
