import type { Diagnostic } from "../diagnostic.ts";
import { isRecord, type JsonObject, type JsonValue } from "../json.ts";
import { guessValue, isBlockMark } from "./guess-value.ts";
import {
  createPositionFinder,
  type Position,
  positionKey,
  type PositionFinder,
} from "../position.ts";
import { plainKey } from "./plain-key.ts";
import { readYaml } from "./yaml.ts";

/** Keys whose text often continues unindented over lines that look like keys (`user: "…"`). */
const proseKeys = new Set(["description", "prompt", "instructions"]);

/** The keys of a format. */
export interface KnownKeys {
  /** All keys, in lower case. */
  known: ReadonlySet<string>;
  /** The keys that restrict, as {@link plainKey} returns them. Their values are never guessed. */
  strict: ReadonlySet<string>;
}

/** The result of reading invalid YAML tolerantly. */
export interface TolerantReading {
  data: JsonObject;
  positionOf: PositionFinder;
  /** A warning for each guessed field, with the correct form; an error for each lost restriction. */
  diagnostics: Diagnostic[];
}

/** One top-level key and the lines that belong to it. */
interface Chunk {
  key: string;
  /** The text after the colon on the first line. */
  rest: string;
  more: string[];
  lines: string[];
  /** 1-based, in the file. */
  line: number;
}

/**
 * Reads the top level of invalid YAML key by key. A field that is valid by itself is read as YAML; any other field as the
 * text or list that its author most likely meant. The known keys distinguish keys from prose that looks like one.
 */
export function readTolerantly(
  text: string,
  path: string,
  firstLine: number,
  { known, strict }: KnownKeys,
): TolerantReading {
  const { chunks, stray } = splitChunks(text, firstLine, known);
  const diagnostics = stray.map((line) => strayLine(path, line));
  const fields = new Map<string, JsonValue>();
  const positions = new Map<string, Position>();
  for (const chunk of chunks) {
    if (fields.has(chunk.key)) diagnostics.push(duplicate(path, chunk, strict));
    const { value, problem } = readChunk(chunk, path);
    if (problem !== null) diagnostics.push(...findSwallowed(path, chunk, { chunks, strict }));
    if (problem !== null) diagnostics.push(problem);
    fields.set(chunk.key, value);
    positions.set(positionKey([chunk.key]), { line: chunk.line, column: 1 });
  }
  const positionOf = createPositionFinder(positions, { line: firstLine, column: 1 });
  return { data: Object.fromEntries(fields), positionOf, diagnostics };
}

function splitChunks(
  text: string,
  firstLine: number,
  knownKeys: ReadonlySet<string>,
): { chunks: Chunk[]; stray: number[] } {
  const chunks: Chunk[] = [];
  const stray: number[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    const current = chunks.at(-1);
    const start = readKey(line, current, knownKeys);
    if (start !== null) {
      chunks.push({ ...start, more: [], lines: [line], line: firstLine + index });
    } else if (current !== undefined) {
      current.more.push(line);
      current.lines.push(line);
    } else if (/\S/.test(line) && !/^\s*#/.test(line)) {
      stray.push(firstLine + index);
    }
  }
  return { chunks, stray };
}

function readKey(
  line: string,
  current: Chunk | undefined,
  knownKeys: ReadonlySet<string>,
): { key: string; rest: string } | null {
  const match = /^(["']?)([A-Za-z_][\w.-]*)\1[ \t]*:(.*)$/.exec(line);
  if (match === null) return null;
  const key = match[2] ?? "";
  const rest = match[3] ?? "";
  const isKnown = knownKeys.has(key.toLowerCase());
  if (!isKnown && rest !== "" && !/^[ \t]/.test(rest)) return null;
  if (!isKnown && current !== undefined && isPlainProse(current)) return null;
  return { key, rest: rest.trim() };
}

/** Reports whether a text may continue unindented. A block scalar (`|`, `>`) ends with its indentation. */
function isPlainProse({ key, rest }: Chunk): boolean {
  return proseKeys.has(key.toLowerCase()) && !isBlockMark(rest);
}

function readChunk(chunk: Chunk, path: string): { value: JsonValue; problem: Diagnostic | null } {
  const strict = readYaml(chunk.lines.join("\n"), path, chunk.line);
  if (strict.diagnostics.length === 0 && isRecord(strict.value)) {
    const entries = Object.entries(strict.value);
    const [first] = entries;
    if (entries.length === 1 && first?.[0] === chunk.key) return { value: first[1], problem: null };
  }
  const value = guessValue(chunk.rest, chunk.more);
  const [found] = strict.diagnostics;
  const position = { line: found?.line ?? chunk.line, column: found?.column ?? 1 };
  const why = found?.message ?? "It is not one key with one value.";
  const message = `\`${chunk.key}\` is not valid YAML and was read as ${Array.isArray(value) ? "a list" : "plain text"}. ${why}`;
  // The whole line regardless of its length, so that the user can paste it.
  const fix = `Write \`${chunk.key}: ${JSON.stringify(value)}\``;
  const problem: Diagnostic = {
    path,
    ...position,
    severity: "warning",
    code: "yaml-invalid",
    message,
    fix,
  };
  return { value, problem };
}

function strayLine(path: string, line: number): Diagnostic {
  const message = "Expected `key: value`, got a line that belongs to no key; it was ignored.";
  const fix = "Remove the line, or indent it under the key it belongs to.";
  return { path, line, column: 1, severity: "warning", code: "yaml-invalid", message, fix };
}

function duplicate(path: string, chunk: Chunk, strict: ReadonlySet<string>): Diagnostic {
  const message = `The key \`${chunk.key}\` is written more than once; this one was taken.`;
  const fix = "Keep one of them.";
  const { line } = chunk;
  const severity = strict.has(plainKey(chunk.key)) ? "error" : "warning";
  return { path, line, column: 1, severity, code: "duplicate-key", message, fix };
}

/** Finds restricting keys that became part of the text above them because they are indented. */
function findSwallowed(
  path: string,
  { key, more, line }: Chunk,
  { chunks, strict }: { chunks: readonly Chunk[]; strict: ReadonlySet<string> },
): Diagnostic[] {
  return more.flatMap((text, index): Diagnostic[] => {
    const [, name] = /^(?:\s+(?:- )?|-\s+)["']?([A-Za-z][\w-]*)["']?[ \t]*:/.exec(text) ?? [];
    if (name === undefined || !strict.has(plainKey(name))) return [];
    if (chunks.some((chunk) => plainKey(chunk.key) === plainKey(name))) return [];
    const position = { path, line: line + index + 1, column: text.search(/\S/) + 1 };
    const message = `There are spaces before \`${name}:\`, so it became a part of \`${key}\` and restricts nothing.`;
    const fix = `Begin the line with \`${name}:\`, without spaces before it.`;
    return [{ ...position, severity: "error", code: "key-swallowed", message, fix }];
  });
}
