/** The end of a stream of bytes. */
export interface Tail {
  add(bytes: Buffer): void;
  /** Returns the kept bytes as text. */
  text(): string;
}

/** Creates a {@link Tail} that keeps at most `limit` bytes. */
export function createTail(limit: number): Tail {
  let kept = Buffer.alloc(0);
  return {
    add(bytes) {
      kept = Buffer.concat([kept, bytes.subarray(-limit)]).subarray(-limit);
    },
    text: () => kept.toString("utf8"),
  };
}
