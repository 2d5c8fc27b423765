/** Splits a stream of bytes into lines. */
export interface LineReader {
  /** @throws RangeError when a line is longer than allowed; the reader is of no use then. */
  add(bytes: Buffer): void;
}

/** Calls `onLine` with every complete line that is not empty, without its end; keeps at most `limit` bytes of one. */
export function createLineReader(limit: number, onLine: (line: string) => void): LineReader {
  let parts: Buffer[] = [];
  let length = 0;

  function keep(part: Buffer): void {
    length += part.length;
    if (length > limit) throw new RangeError(`a line of more than ${limit} bytes`);
    parts.push(part);
  }

  return {
    add(bytes) {
      let start = 0;
      for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
        keep(bytes.subarray(start, end));
        const line = Buffer.concat(parts).toString("utf8").trim();
        parts = [];
        length = 0;
        start = end + 1;
        if (line !== "") onLine(line);
      }
      if (start < bytes.length) keep(bytes.subarray(start));
    },
  };
}
