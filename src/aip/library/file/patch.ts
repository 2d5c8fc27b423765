import { findMatch, type HunkLine, type MatchedHunk, isBlank } from "./match-hunk.ts";
import { linesOf } from "../text.ts";

interface Hunk {
  /** The source text. */
  body: string;
  lines: HunkLine[];
}

/** A hunk without a matching place. */
export interface FailedHunk {
  hunk_body: string;
  cause: string;
}

/** The result of a patch: the content with all matching hunks applied. */
export interface PatchResult {
  content: string;
  failed: FailedHunk[];
  /** The number of hunks, without those that change nothing. */
  hunks: number;
}

/**
 * Applies the hunks of a unified diff to `content`. Ignores the line numbers after `@@`; the lines of a hunk decide its place. A
 * hunk with added lines only goes to the end. The result ends with a line break and keeps Windows line endings.
 */
export function applyPatch(content: string, patch: string): PatchResult {
  let lines = linesOf(content);
  const hunks = readHunks(patch.replaceAll("\r\n", "\n"), lines);
  const failed: FailedHunk[] = [];
  let from = 0;
  for (const hunk of hunks) {
    const matched = problemOf(hunk) === undefined ? positionOf(lines, hunk.lines, from) : undefined;
    if (matched === undefined) {
      const cause = problemOf(hunk) ?? "Its unchanged and removed lines are not in the file.";
      failed.push({ hunk_body: hunk.body, cause });
      continue;
    }
    lines = [...lines.slice(0, matched.start), ...matched.lines, ...lines.slice(matched.end)];
    from = matched.start + matched.lines.length;
  }
  const end = content.includes("\r\n") ? "\r\n" : "\n";
  const patched = lines.map((line) => `${line}${end}`).join("");
  return {
    content: failed.length === hunks.length ? content : patched,
    failed,
    hunks: hunks.length,
  };
}

function positionOf(
  lines: readonly string[],
  hunk: readonly HunkLine[],
  from: number,
): MatchedHunk | undefined {
  // An empty file has no lines to keep or remove.
  if (lines.every(isBlank)) {
    const kept = hunk.filter(({ sign }) => sign === "+" || sign === " ");
    return { start: 0, end: lines.length, lines: kept.map(({ text }) => text) };
  }
  if (hunk.some(({ sign, text }) => sign !== "+" && !isBlank(text)))
    return findMatch(lines, hunk, from);
  const added = hunk.filter(({ sign }) => sign === "+").map(({ text }) => text);
  // Existing empty lines at the end count as the leading empty lines of the addition.
  const blanks = lines.length - 1 - lines.findLastIndex((line) => !isBlank(line));
  const first = added.findIndex((line) => !isBlank(line));
  const skipped = Math.min(blanks, Math.max(first, 0));
  return { start: lines.length, end: lines.length, lines: added.slice(skipped) };
}

/** Lines around hunks that are meant for other programs. */
const header = /^(?:(?:---|\+\+\+) \S|diff --git |index [\da-f]+\.\.)/;
const wrapper = /^\*\*\* (?:(?:Begin|End) Patch\s*$|Update File:)/;

function readHunks(patch: string, content: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  for (const line of patch.split("\n")) {
    if (hunks.length === 0 && (header.test(line) || isBlank(line))) continue;
    if (wrapper.test(line) && !content.includes(line)) continue;
    if (line.startsWith("@@")) {
      hunks.push({ body: line, lines: [] });
      continue;
    }
    if (hunks.length === 0) hunks.push({ body: "@@", lines: [] });
    const hunk = hunks.at(-1);
    if (hunk === undefined || line.startsWith("\\ No newline")) continue;
    hunk.body += `\n${line}`;
    hunk.lines.push(readLine(line));
  }
  return hunks.map(trimHunk).filter(({ lines }) => lines.some(({ sign }) => sign !== " "));
}

function readLine(line: string): HunkLine {
  if (line.trim() === "~") return { sign: "~", text: "" };
  const sign = line.charAt(0);
  if (sign === "-" || sign === "+" || sign === " ") return { sign, text: line.slice(1) };
  // Models omit the space before an unchanged line.
  return { sign: " ", text: line };
}

/** Removes trailing empty lines, which belong to the format. */
function trimHunk({ body, lines }: Hunk): Hunk {
  const last = lines.findLastIndex(({ sign, text }) => sign !== " " || !isBlank(text));
  return { body: body.trimEnd(), lines: lines.slice(0, last + 1) };
}

/** Finds a problem of the hunk itself. */
function problemOf({ lines }: Hunk): string | undefined {
  const goes = (index: number): boolean => lines[index]?.sign === "-";
  const isOpen = lines.some(
    ({ sign }, index) =>
      sign === "~" && ![index - 2, index - 1, index + 1, index + 2].every((near) => goes(near)),
  );
  return isOpen ? "A ~ needs two removed lines before it and two after it." : undefined;
}
