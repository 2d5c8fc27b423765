import type { JsonValue } from "../../../source/json.ts";

/** The maximum nesting depth. Deeper values are mistakes, and each level uses stack. */
const maxLevels = 200;

/** Matches the text between values: spaces, comments, commas (which may be missing or repeated). */
const gap = /(?:[\s,\uFEFF]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const spaces = /(?:[\s\uFEFF]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const quoted = /"((?:[^"\\]|\\[\s\S])*)"|'((?:[^'\\]|\\[\s\S])*)'/y;
const bareKey = /[A-Za-z_$][\w$-]*/y;
const number = /[+-]?(?:0[xX][\dA-Fa-f]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w$])/y;
const word = /(?:true|false|null)(?![\w$])/y;
const words: Readonly<Record<string, JsonValue>> = { true: true, false: false, null: null };
const escapes: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** A text and the position of the reader. */
interface Reader {
  content: string;
  at: number;
}

/**
 * Parses JSON as people and models write it: with comments, unquoted keys, single quotes, missing or extra commas, `+1`, `.5` and
 * `0x1F`. Text without a value gives `null`.
 *
 * @throws Error with the expected token, line and column.
 */
export function parseRelaxedJson(content: string): JsonValue {
  const reader = { content, at: 0 };
  take(reader, spaces);
  if (reader.at >= content.length) return null;
  const value = takeValue(reader, 0);
  take(reader, spaces);
  if (reader.at < content.length) throw failure(reader, "the end");
  return value;
}

function take(reader: Reader, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = reader.at;
  const match = pattern.exec(reader.content);
  if (match !== null) reader.at = pattern.lastIndex;
  return match;
}

function takeSign(reader: Reader, sign: string): boolean {
  const isThere = reader.content.charAt(reader.at) === sign;
  if (isThere) reader.at += 1;
  return isThere;
}

function takeValue(reader: Reader, level: number): JsonValue {
  if (level > maxLevels) throw failure(reader, `at most ${maxLevels} levels`);
  if (takeSign(reader, "{")) {
    const entries: [string, JsonValue][] = [];
    takeEntries(reader, "}", () => entries.push([takeKey(reader), takeValue(reader, level + 1)]));
    return Object.fromEntries(entries);
  }
  if (takeSign(reader, "[")) {
    const list: JsonValue[] = [];
    takeEntries(reader, "]", () => list.push(takeValue(reader, level + 1)));
    return list;
  }
  const text = takeText(reader);
  if (text !== undefined) return text;
  const constant = take(reader, word)?.[0];
  if (constant !== undefined) return words[constant] ?? null;
  const digits = take(reader, number)?.[0];
  if (digits === undefined) throw failure(reader, "a value");
  return readNumber(digits);
}

function takeEntries(reader: Reader, end: string, takeEntry: () => void): void {
  for (take(reader, gap); !takeSign(reader, end); take(reader, gap)) {
    if (reader.at >= reader.content.length) throw failure(reader, `\`${end}\``);
    takeEntry();
  }
}

function takeKey(reader: Reader): string {
  const key = takeText(reader) ?? (take(reader, bareKey) ?? take(reader, number))?.[0];
  if (key === undefined) throw failure(reader, "a key");
  take(reader, spaces);
  if (!takeSign(reader, ":")) throw failure(reader, "`:`");
  take(reader, spaces);
  return key;
}

function takeText(reader: Reader): string | undefined {
  const match = take(reader, quoted);
  return match === null ? undefined : unescape(match[1] ?? match[2] ?? "");
}

function failure({ content, at }: Reader, expected: string): Error {
  const before = content.slice(0, at).split("\n");
  const got =
    at >= content.length ? "the end" : JSON.stringify(content.slice(at, at + 20).split("\n", 1)[0]);
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  return new Error(`expected ${expected} at ${place}, got ${got}`);
}

function readNumber(digits: string): number {
  const sign = digits.startsWith("-") ? -1 : 1;
  return sign * Number(digits.replace(/^[+-]/, ""));
}

function unescape(text: string): string {
  return text.replaceAll(/\\(?:u([\dA-Fa-f]{4})|\r?\n|([\s\S]))/g, (_, code, sign = "") =>
    code === undefined
      ? (escapes[String(sign)] ?? String(sign))
      : String.fromCharCode(Number.parseInt(String(code), 16)),
  );
}
