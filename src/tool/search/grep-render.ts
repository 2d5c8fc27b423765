import { join } from "node:path";
import { displayPath } from "../path/path-confinement.ts";
import { openRegular } from "../path/regular-file.ts";
import type { SearchResult } from "./grep-search.ts";

/** Options for showing matches. */
export interface GrepView {
  mode: "content" | "files_with_matches" | "count";
  /** Lines shown before and after a match. */
  before: number;
  after: number;
  hasNumbers: boolean;
  /** The maximum number of output lines. */
  limit: number;
  /** The folder that the found files are relative to; absolute. */
  folder: string;
  workspace: string;
}

const lineCharacters = 500;

/** Returns the output lines for the matches in path order, and their total without the limit. */
export async function renderMatches(
  found: SearchResult,
  view: GrepView,
): Promise<{ lines: string[]; total: number }> {
  const files = [...found.entries()].sort(([left], [right]) => (left < right ? -1 : 1));
  const lines: string[] = [];
  let total = 0;
  for (const [file, numbers] of files) {
    const path = join(view.folder, file);
    // Only matching files are read, so the check for binary files costs little.
    const text = await readTextFile(path, lines.length < view.limit && view.mode === "content");
    if (text === null) continue;
    const shown = displayPath(path, view.workspace);
    if (view.mode === "content") {
      total += numbers.length;
      if (lines.length < view.limit)
        lines.push(...renderContent({ shown, text, numbers, view }, lines.length > 0));
    } else {
      total += 1;
      lines.push(view.mode === "count" ? `${shown}:${numbers.length}` : shown);
    }
  }
  return { lines: lines.slice(0, view.limit), total };
}

/** Reads a file, or checks only its beginning unless `isWhole`; `null` for binary and vanished files. */
async function readTextFile(path: string, isWhole: boolean): Promise<string | null> {
  const opened = await openRegular(path).catch(() => null);
  if (opened === null) return null;
  try {
    const start = Buffer.alloc(8192);
    const { bytesRead } = await opened.handle.read(start, 0, start.length, 0);
    if (start.subarray(0, bytesRead).includes(0)) return null;
    if (!isWhole) return "";
    const content = Buffer.alloc(opened.stats.size);
    const whole = await opened.handle.read(content, 0, content.length, 0);
    return content.subarray(0, whole.bytesRead).toString("utf8");
  } finally {
    await opened.handle.close();
  }
}

function renderContent(
  file: { shown: string; text: string; numbers: readonly number[]; view: GrepView },
  isLater: boolean,
): string[] {
  const { shown, numbers, view } = file;
  const all = file.text.split("\n");
  if (all.at(-1) === "") all.pop();
  const matching = new Set(numbers);
  const rendered: string[] = [];
  const hasContext = view.before + view.after > 0;
  let last = 0;
  for (const number of numbers) {
    if (rendered.length > view.limit) break;
    const from = Math.max(number - view.before, last + 1, 1);
    const to = Math.min(number + view.after, all.length);
    if (hasContext && from > last + 1 && (last > 0 || isLater)) rendered.push("--");
    for (let at = from; at <= to; at += 1) {
      const sign = matching.has(at) ? ":" : "-";
      const prefix = view.hasNumbers ? `${shown}${sign}${at}${sign}` : `${shown}${sign}`;
      rendered.push(`${prefix}${cutLine(all[at - 1] ?? "")}`);
    }
    last = Math.max(last, to);
  }
  return rendered;
}

function cutLine(line: string): string {
  const text = line.replace(/\r$/, "").replaceAll("\0", "\u2400");
  if (text.length <= lineCharacters) return text;
  const cut = text.slice(0, lineCharacters).replace(/[\uD800-\uDBFF]$/, "");
  return `${cut}… [line cut; it has ${text.length} characters]`;
}
