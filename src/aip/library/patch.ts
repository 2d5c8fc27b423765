import { findLines } from "./save-changes.ts";

/** A hunk: the lines that are in the file, and those that take their place. */
interface Hunk {
  body: string;
  before: string[];
  after: string[];
}

/** A hunk that found no place. */
export interface FailedHunk {
  hunk_body: string;
  cause: string;
}

/**
 * Applies hunks of a unified diff to `content`; the numbers behind `@@` do not count, hunks are found by their lines,
 * each behind the one before it if it is there.
 */
export function applyPatch(
  content: string,
  patch: string,
): { content: string; failed: FailedHunk[]; hunks: number } {
  const hunks = readHunks(patch);
  let lines = content.split("\n");
  let from = 0;
  const failed: FailedHunk[] = [];
  for (const hunk of hunks) {
    const at = placeOf(lines, hunk, from);
    if (at === -1) {
      failed.push({
        hunk_body: hunk.body,
        cause: "Its unchanged and removed lines are not in the file.",
      });
      continue;
    }
    lines = [...lines.slice(0, at), ...hunk.after, ...lines.slice(at + hunk.before.length)];
    from = at + hunk.after.length;
  }
  return { content: lines.join("\n"), failed, hunks: hunks.length };
}

function placeOf(lines: readonly string[], { before }: Hunk, from: number): number {
  // Nothing but additions: they go to the end, before the last line end.
  if (before.length === 0) return lines.at(-1) === "" ? lines.length - 1 : lines.length;
  const ahead = findLines(lines, before, from);
  if (ahead !== -1) return ahead;
  const anywhere = findLines(lines, before);
  if (anywhere !== -1) return anywhere;
  return findLines(
    lines.map((line) => line.trim()),
    before.map((line) => line.trim()),
  );
}

function readHunks(patch: string): Hunk[] {
  const hunks: Hunk[] = [];
  for (const line of patch.split("\n")) {
    if (/^(?:---|\+\+\+) \S/.test(line) && hunks.length === 0) continue;
    if (line.startsWith("@@")) {
      hunks.push({ body: line, before: [], after: [] });
      continue;
    }
    if (hunks.length === 0) {
      if (line.trim() === "") continue;
      hunks.push({ body: "@@", before: [], after: [] });
    }
    const hunk = hunks.at(-1);
    if (hunk !== undefined && !line.startsWith("\\")) addLine(hunk, line);
  }
  return hunks.map(trimHunk).filter(({ before, after }) => before.length + after.length > 0);
}

function addLine(hunk: Hunk, line: string): void {
  hunk.body += `\n${line}`;
  const sign = line.charAt(0);
  // Models leave away the space before an empty line.
  const text = sign === "-" || sign === "+" || sign === " " ? line.slice(1) : line;
  if (sign !== "+") hunk.before.push(text);
  if (sign !== "-") hunk.after.push(text);
}

/** Empty lines at the end belong to the format, not to the file. */
function trimHunk(hunk: Hunk): Hunk {
  const { body, before, after } = hunk;
  while (before.at(-1) === "" && after.at(-1) === "") {
    before.pop();
    after.pop();
  }
  return { body: body.trimEnd(), before, after };
}
