/** A line of a hunk. `~` stands for all lines between those that go before it and those that go behind it. */
export interface HunkLine {
  sign: " " | "-" | "+" | "~";
  text: string;
}

/** Where a hunk belongs: the lines from `start` up to `end` become `lines`. */
export interface HunkPlace {
  start: number;
  end: number;
  lines: string[];
}

/** How exactly lines have to be the same. */
interface Level {
  key: (text: string) => string;
  /** Whether empty lines may be missing or too many, and beginnings of lines left away. */
  isLoose: boolean;
}

/** Models copy lines with other spaces, punctuation, quotes and case than there are; the exact place still comes first. */
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
  // Short lines would be the same as too many others.
  return dense.length < 4 ? word : dense;
}

/**
 * Finds the place of a hunk by its lines that stay or go: at the first level of exactness that has one, the one that is
 * the same in most lines, of those one that is indented alike, and then the nearest to `expected`. `undefined` when there is none.
 */
export function findPlace(
  lines: readonly string[],
  hunk: readonly HunkLine[],
  expected: number,
): HunkPlace | undefined {
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
  /** The lines, and those of the hunk, as they are compared. */
  keys: readonly string[];
  wanted: readonly string[];
}

interface Match extends HunkPlace {
  /** How many lines are the same to the letter. */
  exact: number;
  /** By how many characters lines are indented further than those of the hunk: one number where a block was only moved. */
  shifts: Set<number>;
}

function isBetter(match: Match, best: Match | undefined, expected: number): boolean {
  if (best === undefined || match.exact !== best.exact) return match.exact > (best?.exact ?? -1);
  const isMoved = match.shifts.size <= 1;
  if (isMoved !== best.shifts.size <= 1) return isMoved;
  // Of two that are as far away the one ahead comes later.
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
  // What is thought to be behind the end of the file must be the smaller part.
  return found > (beyond === 0 ? 0 : Math.max(beyond, 1)) ? match : undefined;
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

/** Empty lines of the file that the hunk left out stay. */
function passBlanks(match: Match, lines: readonly string[]): void {
  for (let line = lines[match.end]; line !== undefined && isBlank(line); line = lines[match.end]) {
    match.lines.push(line);
    match.end += 1;
  }
}

/** Where the lines stand that go behind a `~`; -1 when nowhere. */
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

const leastSuffix = 10;
const commentMark = /(?:\/\/|\/\*|<!--|#|--|\*)\s*$/;

function isSame({ keys, wanted, isLoose }: Search, at: number, index: number): boolean {
  const key = keys[at] ?? "";
  const end = wanted[index] ?? "";
  if (key === end) return true;
  if (!isLoose || end.length < leastSuffix || !key.endsWith(end)) return false;
  // A line that is only mentioned in a comment is another one.
  return !commentMark.test(key.slice(0, -end.length));
}

/** Whether a line has nothing but spaces. */
export function isBlank(text: string): boolean {
  return text.trim() === "";
}
