const shownLines = 3;
const lineCharacters = 200;
const searchedLines = 20_000;
const leastLikeness = 0.5;

/** The lines of `text` most like the first line of `wanted`, numbered, in order; empty when none is like it. */
export function nearestLines(text: string, wanted: string): string[] {
  const first = wanted.split("\n").find((line) => line.trim() !== "") ?? "";
  const pairs = letterPairs(first);
  return text
    .split("\n", searchedLines)
    .map((line, index) => ({
      line,
      number: index + 1,
      likeness: likeness(letterPairs(line), pairs),
    }))
    .filter((candidate) => candidate.likeness >= leastLikeness)
    .sort((left, right) => right.likeness - left.likeness || left.number - right.number)
    .slice(0, shownLines)
    .sort((left, right) => left.number - right.number)
    .map(
      ({ line, number }) =>
        `${String(number).padStart(6)}\t${line.replace(/\r$/, "").slice(0, lineCharacters)}`,
    );
}

/** The pairs of neighbouring characters, white space left out: a different indentation is no difference. */
function letterPairs(line: string): Set<string> {
  const letters = line.slice(0, lineCharacters).replaceAll(/\s+/g, "");
  const pairs = new Set<string>(letters.length === 1 ? [letters] : []);
  for (let at = 0; at + 1 < letters.length; at += 1) pairs.add(letters.slice(at, at + 2));
  return pairs;
}

/** From 0 (nothing in common) to 1 (the same): Dice's coefficient. */
function likeness(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  if (left.size + right.size === 0) return 0;
  let common = 0;
  for (const pair of left) if (right.has(pair)) common += 1;
  return (2 * common) / (left.size + right.size);
}
