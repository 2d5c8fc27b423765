/** Splits a stream of bytes into lines. */
export interface LineReader {
  add(bytes: Buffer): void;
}

/** Options of {@link createLineReader}. */
export interface LineReaderOptions {
  /** The maximum length of a line, in bytes. */
  limit: number;
  /** Called with each complete non-empty line, trimmed. */
  onLine: (line: string) => void;
  /** Called as soon as a line is too long. The line is skipped. */
  onTooLong: () => void;
}

/** Creates a {@link LineReader}, which holds at most one line. */
export function createLineReader({ limit, onLine, onTooLong }: LineReaderOptions): LineReader {
  let parts: Buffer[] = [];
  let length = 0;

  function keep(part: Buffer): void {
    const isTooLong = length > limit;
    length += part.length;
    if (length <= limit) {
      parts.push(part);
    } else if (!isTooLong) {
      parts = [];
      onTooLong();
    }
  }

  function endLine(): void {
    const line = Buffer.concat(parts).toString("utf8").trim();
    parts = [];
    length = 0;
    if (line !== "") onLine(line);
  }

  return { add: (bytes) => divideLines(bytes, keep, endLine) };
}

/** Splits bytes at line feeds. Calls `onPart` with each part of a line, and `onEnd` at the end of each line. */
export function divideLines(
  bytes: Buffer,
  onPart: (part: Buffer) => void,
  onEnd: () => void,
): void {
  let start = 0;
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
    onPart(bytes.subarray(start, end));
    onEnd();
    start = end + 1;
  }
  if (start < bytes.length) onPart(bytes.subarray(start));
}
