/** A position in a text. */
export interface Position {
  /** 1-based. */
  line: number;
  /** 1-based, in UTF-16 code units. */
  column: number;
}

/** The path of a value in nested data, outermost key first. */
export type KeyPath = readonly (string | number)[];

/** Returns the position of a value. If the value is missing, returns that of its nearest parent in the file. */
export type PositionFinder = (...keys: KeyPath) => Position;

/** Creates a function that converts an offset in `text` to a position. Offsets beyond the end give the end. */
export function createLineIndex(text: string): (offset: number) => Position {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    const target = Math.max(0, Math.min(offset, text.length));
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= target) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: target - (starts[low] ?? 0) + 1 };
  };
}

/** Creates a {@link PositionFinder} over known positions, keyed by {@link positionKey}. */
export function createPositionFinder(
  known: ReadonlyMap<string, Position>,
  start: Position,
): PositionFinder {
  return (...keys) => {
    for (let length = keys.length; length > 0; length -= 1) {
      const position = known.get(positionKey(keys.slice(0, length)));
      if (position !== undefined) return position;
    }
    return start;
  };
}

/** Returns the key of a path in a map of positions. It is unambiguous for any characters. */
export function positionKey(keys: KeyPath): string {
  return JSON.stringify(keys);
}
