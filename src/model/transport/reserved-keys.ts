/**
 * A mark for reserved keys. Providers' clients refuse a whole reply with a key `__proto__` or `constructor`, for example in the
 * arguments of a tool call. {@link escapeKeys} adds this mark to such keys before the client sees them, and {@link unescapeKeys}
 * removes it.
 */
const mark = "\uE000";
const reserved: ReadonlySet<string> = new Set(["__proto__", "constructor"]);

/** Matches a JSON string, which has no line break, and the following colon if it is a key. */
const jsonString = /"([^"\\\n]*(?:\\.[^"\\\n]*)*)"(\s*:)?/g;
const escaped = new RegExp(`"${mark}(${[...reserved].join("|")})"(?=\\s*:)`, "g");

/** Bytes with a reserved key contain one of these. The last one finds keys with escaped letters. */
const hints = ["__proto__", '"constructor"', "\\u00"];

/** Marks the reserved keys in JSON or lines of JSON. Bytes without one are returned unchanged. */
export function escapeKeys(bytes: Uint8Array): Uint8Array {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Searching a string is much faster than searching a buffer, and the hints are ASCII.
  const ascii = buffer.toString("latin1");
  if (!hints.some((hint) => ascii.includes(hint))) return bytes;
  const text = buffer.toString();
  const marked = text.replace(jsonString, (whole, key: string, colon?: string) =>
    colon !== undefined && reserved.has(nameOf(key)) ? `"${mark}${nameOf(key)}"${colon}` : whole,
  );
  return marked === text ? bytes : Buffer.from(marked);
}

/** Removes the marks of {@link escapeKeys}. */
export function unescapeKeys(json: string): string {
  return json.includes(mark) ? json.replace(escaped, '"$1"') : json;
}

function nameOf(key: string): string {
  if (!key.includes("\\")) return key;
  try {
    return JSON.parse(`"${key}"`) as string;
  } catch {
    return key;
  }
}
