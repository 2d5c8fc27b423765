/** A line of a hunk. `~` stands for all lines between the preceding and the following lines. */
export interface HunkLine {
  sign: " " | "-" | "+" | "~";
  text: string;
}

/** The place of a hunk: `lines` replace the lines from `start` to before `end`. */
export interface MatchedHunk {
  start: number;
  end: number;
  lines: string[];
}

/** How strictly lines are compared. */
interface Level {
  key: (text: string) => string;
  /** Whether the hunk may have missing or extra empty lines, and lack the beginnings of lines. */
  isLoose: boolean;
}

/** Models copy lines with different spaces, punctuation, quotes and case. The strictest level comes first. */
const levels: readonly Level[] = [
  { key: (text) => text, isLoose: false },
  { key: plain, isLoose: true },
  { key: rough, isLoose: true },
];

function plain(text: string): string {
  const slim = text.trim().replaceAll(/\s+/g, " ");
  return slim.replace(/^#{1,6} /, "").replace(/[;,]$/, "") || slim;
}

function rough(text: string): string {
  const slim = plain(text).toLowerCase().replaceAll("`", "").replaceAll('"', "'");
  const word = slim.replaceAll(/(?<=[\da-f])_(?=[\da-f])/g, "").replace(/[.,:;!?]+$/, "") || slim;
  const dense = word.replaceAll(" ", "");
  // Short lines would match too many others.
  return dense.length < 4 ? word : dense;
}

/**
 * Finds the place of a hunk by its unchanged and removed lines: at the strictest level with a match, the place with most exact
 * lines, then one with uniform indentation, then the nearest to `expected`. `undefined` without a match.
 */
export function findMatch(
  lines: readonly string[],
  hunk: readonly HunkLine[],
  expected: number,
): MatchedHunk | undefined {
  for (const { key, isLoose } of levels) {
    const search: Search = {
      lines,
      hunk,
      isLoose,
      keys: lines.map(key),
      wanted: hunk.map(({ text }) => key(text)),
    };
    let best: Match | undefined;
    for (let start = 0; start < lines.length; start += 1) {
      const match = matchAt(search, start);
      if (match !== undefined && isBetter(match, best, expected)) best = match;
    }
    if (best !== undefined) return best;
  }
  return undefined;
}

interface Search {
  lines: readonly string[];
  hunk: readonly HunkLine[];
  isLoose: boolean;
  /** The keys of the lines, and of the hunk's lines, for comparison. */
  keys: readonly string[];
  wanted: readonly string[];
}

interface Match extends MatchedHunk {
  /** The number of exactly equal lines. */
  exact: number;
  /** The differences of indentation: a single number when a block only moved. */
  shifts: Set<number>;
}

function isBetter(match: Match, best: Match | undefined, expected: number): boolean {
  if (best === undefined || match.exact !== best.exact) return match.exact > (best?.exact ?? -1);
  const isMoved = match.shifts.size <= 1;
  if (isMoved !== best.shifts.size <= 1) return isMoved;
  // Of two equally distant places, the one ahead comes later.
  return Math.abs(match.start - expected) <= Math.abs(best.start - expected);
}

function matchAt(search: Search, start: number): Match | undefined {
  const { lines, hunk, isLoose } = search;
  const match: Match = { start, end: start, lines: [], exact: 0, shifts: new Set() };
  let found = 0;
  let beyond = 0;
  for (const [index, { sign, text }] of hunk.entries()) {
    if (sign === "+") match.lines.push(text);
    if (sign === "+") continue;
    if (sign === "~") {
      const end = endOfRange(search, index, match.end);
      if (end === -1) return undefined;
      match.end = end;
      continue;
    }
    const isEmpty = isBlank(text);
    if (isLoose && !isEmpty && found > 0) passBlanks(match, lines);
    const line = lines[match.end];
    if (line !== undefined && (isEmpty ? isBlank(line) : isSame(search, match.end, index))) {
      if (sign === " ") match.lines.push(line);
      match.exact += line === text ? 1 : 0;
      match.end += 1;
      found += isEmpty ? 0 : 1;
      if (!isEmpty) match.shifts.add(indentOf(line) - indentOf(text));
    } else if (!isLoose || sign === "-") return undefined;
    else if (isEmpty) match.lines.push("");
    else if (line === undefined) beyond += 1;
    else return undefined;
  }
  // The lines assumed past the end of the file must be the smaller part.
  return found > (beyond === 0 ? 0 : Math.max(beyond, 1)) ? match : undefined;
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

/** Keeps empty lines of the file that the hunk left out. */
function passBlanks(match: Match, lines: readonly string[]): void {
  for (let line = lines[match.end]; line !== undefined && isBlank(line); line = lines[match.end]) {
    match.lines.push(line);
    match.end += 1;
  }
}

/** Finds the lines that follow a `~`; -1 when there are none. */
function endOfRange(search: Search, index: number, from: number): number {
  const { hunk, lines } = search;
  const behind = hunk.slice(index + 1).findIndex(({ sign }) => sign !== "-");
  const count = behind === -1 ? hunk.length - index - 1 : behind;
  for (let at = from; at + count <= lines.length; at += 1) {
    let same = 0;
    while (same < count && isSame(search, at + same, index + 1 + same)) same += 1;
    if (same === count) return at;
  }
  return -1;
}

const minSuffix = 10;
const commentMark = /(?:\/\/|\/\*|<!--|#|--|\*)\s*$/;

function isSame({ keys, wanted, isLoose }: Search, at: number, index: number): boolean {
  const key = keys[at] ?? "";
  const end = wanted[index] ?? "";
  if (key === end) return true;
  if (!isLoose || end.length < minSuffix || !key.endsWith(end)) return false;
  // A line that is only mentioned in a comment is another line.
  return !commentMark.test(key.slice(0, -end.length));
}

/** Reports whether a line is blank. */
export function isBlank(text: string): boolean {
  return text.trim() === "";
}
