/** The types of the elements of {@link toArrayParameter}. */
export type ElementType = "text" | "int" | "bigint";

/** The ids of the types in the catalog of PostgreSQL, which never change. */
const typeIds: Readonly<Record<ElementType, number>> = { text: 25, int: 23, bigint: 20 };

/** An array of one dimension has five numbers before its elements. */
const headerBytes = 20;
/** The length of a null. */
const nullLength = -1;

/**
 * Returns an array as a parameter in the binary format of PostgreSQL, which `pg` sends as it is. In the text format `pg` escapes each
 * element, and the server removes the escapes. An element of another type becomes null.
 */
export function toArrayParameter(type: ElementType, values: readonly unknown[]): Buffer {
  return type === "text" ? toTextArray(values.map(toText)) : toNumberArray(type, values);
}

function toTextArray(texts: readonly (string | null)[]): Buffer {
  const bytes = texts.reduce((sum, text) => sum + (text === null ? 0 : Buffer.byteLength(text)), 0);
  const array = createArray("text", texts.length, bytes);
  let at = headerBytes;
  for (const text of texts) {
    const length = text === null ? nullLength : array.write(text, at + 4);
    at = array.writeInt32BE(length, at) + Math.max(length, 0);
  }
  return array;
}

function toNumberArray(type: "int" | "bigint", values: readonly unknown[]): Buffer {
  const length = type === "int" ? 4 : 8;
  const array = createArray(type, values.length, values.length * length);
  let at = headerBytes;
  for (const value of values) {
    const isNumber = typeof value === "number";
    at = array.writeInt32BE(isNumber ? length : nullLength, at);
    if (isNumber) at = type === "int" ? array.writeInt32BE(value, at) : writeBig(array, value, at);
  }
  return array.subarray(0, at);
}

/** Creates an array of `count` elements with `bytes` in all, apart from their lengths. */
function createArray(type: ElementType, count: number, bytes: number): Buffer {
  const array = Buffer.allocUnsafe(headerBytes + count * 4 + bytes);
  const [dimensions, mayHaveNulls, firstIndex] = [1, 1, 1];
  const header = [dimensions, mayHaveNulls, typeIds[type], count, firstIndex];
  header.forEach((number, place) => array.writeInt32BE(number, place * 4));
  return array;
}

/** Writes a whole number below 2^53 as 64 bits, and returns the place after it. */
function writeBig(array: Buffer, value: number, at: number): number {
  const high = Math.floor(value / 2 ** 32);
  return array.writeUInt32BE(value - high * 2 ** 32, array.writeInt32BE(high, at));
}

function toText(value: unknown): string | null {
  return typeof value === "string" ? withoutNul(value) : null;
}

/**
 * Text in PostgreSQL cannot contain NUL. Journals and states are JSON, which escapes it. It is replaced in names, which are only
 * compared.
 */
export function withoutNul(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "\ufffd") : text;
}
