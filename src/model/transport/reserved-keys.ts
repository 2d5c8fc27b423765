/**
 * Providers' clients refuse a whole reply in which anything is called `__proto__` or `constructor`, such as an argument of
 * a call that a model made up. On the way to them such keys get a mark, which {@link unescapeKeys} takes off again.
 */
const mark = "\uE000";
const reserved: ReadonlySet<string> = new Set(["__proto__", "constructor"]);

/** A string of JSON, with the colon behind it where it is a key. No string has a line break in it. */
const jsonString = /"([^"\\\n]*(?:\\.[^"\\\n]*)*)"(\s*:)?/g;
const escaped = new RegExp(`"${mark}(${[...reserved].join("|")})"(?=\\s*:)`, "g");

/** Marks the reserved keys in JSON, or in lines of it. Bytes without one are returned as they are. */
export function escapeKeys(bytes: Uint8Array): Uint8Array {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // The third is how their letters may be written otherwise.
  const hints = ["__proto__", '"constructor"', "\\u00"];
  if (!hints.some((hint) => buffer.includes(hint))) return bytes;
  const text = buffer.toString();
  const marked = text.replace(jsonString, (whole, key: string, colon?: string) =>
    colon !== undefined && reserved.has(nameOf(key)) ? `"${mark}${nameOf(key)}"${colon}` : whole,
  );
  return marked === text ? bytes : Buffer.from(marked);
}

/** JSON as the model wrote it. */
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
