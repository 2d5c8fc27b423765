import type { Diagnostic } from "./diagnostic.ts";
import { isRecord, type JsonObject, type JsonValue } from "./json.ts";
import { createPlaceFinder, type PlaceFinder } from "./place.ts";
import { plainKey } from "./plain-key.ts";
import { readTolerantly } from "./tolerant-yaml.ts";
import { readYaml } from "./yaml.ts";

/** A text split at its frontmatter. Lines are 1-based. */
export interface FrontmatterSplit {
  /** `none`: it has no frontmatter; `unclosed`: it begins one and never ends it. */
  kind: "none" | "unclosed" | "found";
  /** The text between the fences; empty for `none`. */
  header: string;
  /** The line of the file the header begins on. */
  headerLine: number;
  body: string;
  /** The line of the file the body begins on. */
  bodyLine: number;
}

/** What a file with YAML frontmatter says. */
export interface Frontmatter {
  path: string;
  /** `null`: the file has no frontmatter at all, it is prose. */
  data: JsonObject | null;
  placeOf: PlaceFinder;
  body: string;
  /** 1-based. */
  bodyLine: number;
  diagnostics: Diagnostic[];
}

/** The longest header that is read, in characters: a parser's time on hostile text grows faster than the text. */
const maxHeaderCharacters = 64 * 1024;

const fence = /^---[ \t]*$/;
const keyLike = /^["']?[A-Za-z_][\w.-]*["']?[ \t]*:/;

/** Splits Markdown into frontmatter and body. Blank lines before the first fence are tolerated. */
export function splitFrontmatter(text: string): FrontmatterSplit {
  const lines = text
    .replace(/^\u{FEFF}/u, "")
    .replace(/\r\n?/g, "\n")
    .split("\n");
  const open = lines.findIndex((line) => line.trim() !== "");
  const none = { kind: "none", header: "", headerLine: 1, bodyLine: 1 } as const;
  const looksLikeKeys = keyLike.test(lines.slice(open + 1).find(isMeaningful) ?? "");
  if (open === -1 || !fence.test(lines[open] ?? "") || (open > 0 && !looksLikeKeys)) {
    return { ...none, body: lines.join("\n") };
  }
  const close = lines.findIndex((line, index) => index > open && fence.test(line));
  if (close === -1 && !looksLikeKeys) return { ...none, body: lines.join("\n") };
  const end = close === -1 ? endOfUnclosed(lines, open) : close;
  const bodyStart = close === -1 ? end : end + 1;
  return {
    kind: close === -1 ? "unclosed" : "found",
    header: lines.slice(open + 1, end).join("\n"),
    headerLine: Math.min(open + 2, lines.length),
    body: lines.slice(bodyStart).join("\n"),
    bodyLine: Math.min(bodyStart + 1, lines.length),
  };
}

/**
 * Reads a Markdown file with YAML frontmatter. YAML that is not valid is read tolerantly, with warnings; a frontmatter
 * that never ends or is not a map is an error, and so is one of `strictKeys` that is written twice, or lost in the text
 * above it. `knownKeys` are the keys of its format, in lower case; `strictKeys` those that restrict, as `plainKey` gives them.
 */
export function readFrontmatter(
  text: string,
  path: string,
  knownKeys: ReadonlySet<string>,
  strictKeys: ReadonlySet<string> = new Set(),
): Frontmatter {
  const split = splitFrontmatter(text);
  const { header, headerLine, body, bodyLine } = split;
  const place = { path, body, bodyLine };
  if (split.kind === "none") {
    return { ...place, data: null, placeOf: startOfFile, diagnostics: [] };
  }
  if (header.length > maxHeaderCharacters) {
    const diagnostics = [tooLong(path, headerLine, header.length)];
    return { ...place, data: {}, placeOf: startOfFile, diagnostics };
  }
  const unclosed = split.kind === "unclosed" ? [neverClosed(path, headerLine - 1)] : [];
  const strict = readYaml(header, path, headerLine);
  if (isUsable(strict.value) && strict.diagnostics.every(isDuplicate)) {
    const rated = strict.diagnostics.map((finding) =>
      strictKeys.has(keyAbove(header, finding.line - headerLine)) ? finding : asWarning(finding),
    );
    const diagnostics = [...unclosed, ...rated];
    return { ...place, data: strict.value ?? {}, placeOf: strict.placeOf, diagnostics };
  }
  const keys = { known: knownKeys, strict: strictKeys };
  const { data, placeOf, diagnostics } = readTolerantly(header, path, headerLine, keys);
  if (Object.keys(data).length === 0) {
    const reason = strict.diagnostics[0] ?? notMap(path, headerLine, strict.value);
    return { ...place, data, placeOf, diagnostics: [...unclosed, reason] };
  }
  const reasons = diagnostics.length > 0 ? diagnostics : strict.diagnostics.map(asWarning);
  return { ...place, data, placeOf, diagnostics: [...unclosed, ...reasons] };
}

const startOfFile: PlaceFinder = createPlaceFinder(new Map(), { line: 1, column: 1 });

function isMeaningful(line: string): boolean {
  return line.trim() !== "" && !line.trimStart().startsWith("#");
}

/** Without a closing fence, the first blank line or heading is the most likely end. */
function endOfUnclosed(lines: readonly string[], open: number): number {
  const end = lines.findIndex(
    (line, index) => index > open && (line.trim() === "" || /^#+\s/.test(line)),
  );
  return end === -1 ? lines.length : end;
}

function isUsable(value: JsonValue | undefined): value is JsonObject | undefined | null {
  return value === undefined || value === null || isRecord(value);
}

/** The top-level key that a line (from 0) of a header belongs to, as `plainKey` gives it. */
function keyAbove(header: string, line: number): string {
  const above = header.split("\n").slice(0, line + 1);
  const key = above.findLast((text) => keyLike.test(text)) ?? "";
  return plainKey(key.replace(/["']?[ \t]*:.*$/s, "").replace(/^["']/, ""));
}

function isDuplicate(diagnostic: Diagnostic): boolean {
  return diagnostic.code === "duplicate-key";
}

function asWarning(diagnostic: Diagnostic): Diagnostic {
  return { ...diagnostic, severity: "warning" };
}

function neverClosed(path: string, line: number): Diagnostic {
  const message = "The frontmatter begins here and never ends: a line `---` is expected after it.";
  const fix = "Add a line `---` between the fields and the text.";
  const code = "frontmatter-unclosed";
  return { path, line: Math.max(1, line), column: 1, severity: "error", code, message, fix };
}

function tooLong(path: string, line: number, length: number): Diagnostic {
  const message = `Expected frontmatter of at most ${maxHeaderCharacters} characters, got ${length}.`;
  const fix = "Move long text below the closing `---`.";
  return { path, line, column: 1, severity: "error", code: "frontmatter-too-large", message, fix };
}

function notMap(path: string, line: number, value: JsonValue | undefined): Diagnostic {
  const got = Array.isArray(value) ? "a list" : `\`${JSON.stringify(value ?? null).slice(0, 60)}\``;
  const message = `Expected frontmatter of \`key: value\` lines, got ${got}.`;
  const fix = "Write one `key: value` pair a line, such as `name: code-reviewer`.";
  return { path, line, column: 1, severity: "error", code: "frontmatter-not-a-map", message, fix };
}
