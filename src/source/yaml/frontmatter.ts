import type { Diagnostic } from "../diagnostic.ts";
import { isRecord, type JsonObject, type JsonValue } from "../json.ts";
import { createPositionFinder, type PositionFinder } from "../position.ts";
import { plainKey } from "./plain-key.ts";
import { readTolerantly } from "./tolerant-yaml.ts";
import { readYaml } from "./yaml.ts";

/** A text divided into frontmatter and body. Lines are 1-based. */
export interface FrontmatterSplit {
  /** `none` means no frontmatter; `unclosed` means frontmatter without an end. */
  kind: "none" | "unclosed" | "found";
  /** The text between the fences; empty for `none`. */
  header: string;
  /** The line of the file on which the header begins. */
  headerLine: number;
  body: string;
  /** The line of the file on which the body begins. */
  bodyLine: number;
}

/** The content of a file with YAML frontmatter. */
export interface Frontmatter {
  path: string;
  /** The fields; `null` when the file has no frontmatter. */
  data: JsonObject | null;
  positionOf: PositionFinder;
  body: string;
  /** 1-based. */
  bodyLine: number;
  diagnostics: Diagnostic[];
}

/** The maximum length of a header, in characters. The parsing time of malicious text grows faster than its length. */
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
 * Reads a Markdown file with YAML frontmatter. Invalid YAML is read tolerantly, with warnings. Errors are frontmatter
 * without an end, frontmatter that is not a map, and a key of `strictKeys` that is repeated or became part of the text
 * above it. `knownKeys` are the keys of the format, in lower case; `strictKeys` are the restricting keys, as
 * `plainKey` returns them.
 */
export function readFrontmatter(
  text: string,
  path: string,
  knownKeys: ReadonlySet<string>,
  strictKeys: ReadonlySet<string> = new Set(),
): Frontmatter {
  const split = splitFrontmatter(text);
  const { header, headerLine, body, bodyLine } = split;
  const position = { path, body, bodyLine };
  if (split.kind === "none") {
    return { ...position, data: null, positionOf: startOfFile, diagnostics: [] };
  }
  if (header.length > maxHeaderCharacters) {
    const diagnostics = [tooLong(path, headerLine, header.length)];
    return { ...position, data: {}, positionOf: startOfFile, diagnostics };
  }
  const unclosed = split.kind === "unclosed" ? [neverClosed(path, headerLine - 1)] : [];
  const strict = readYaml(header, path, headerLine);
  if (isUsable(strict.value) && strict.diagnostics.every(isDuplicate)) {
    const rated = strict.diagnostics.map((finding) =>
      strictKeys.has(keyAbove(header, finding.line - headerLine)) ? finding : asWarning(finding),
    );
    const diagnostics = [...unclosed, ...rated];
    return { ...position, data: strict.value ?? {}, positionOf: strict.positionOf, diagnostics };
  }
  const keys = { known: knownKeys, strict: strictKeys };
  const { data, positionOf, diagnostics } = readTolerantly(header, path, headerLine, keys);
  if (Object.keys(data).length === 0) {
    const reason = strict.diagnostics[0] ?? notMap(path, headerLine, strict.value);
    return { ...position, data, positionOf, diagnostics: [...unclosed, reason] };
  }
  const reasons = diagnostics.length > 0 ? diagnostics : strict.diagnostics.map(asWarning);
  return { ...position, data, positionOf, diagnostics: [...unclosed, ...reasons] };
}

const startOfFile: PositionFinder = createPositionFinder(new Map(), { line: 1, column: 1 });

function isMeaningful(line: string): boolean {
  return line.trim() !== "" && !line.trimStart().startsWith("#");
}

/** Returns the most likely end of frontmatter without a closing fence: the first blank line or heading. */
function endOfUnclosed(lines: readonly string[], open: number): number {
  const end = lines.findIndex(
    (line, index) => index > open && (line.trim() === "" || /^#+\s/.test(line)),
  );
  return end === -1 ? lines.length : end;
}

function isUsable(value: JsonValue | undefined): value is JsonObject | undefined | null {
  return value === undefined || value === null || isRecord(value);
}

/** Returns the top-level key that a header line (0-based) belongs to, as `plainKey` returns it. */
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
