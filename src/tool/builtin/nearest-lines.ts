const shownLines = 3;
const lineCharacters = 200;
const searchedLines = 20_000;
const minimumSimilarity = 0.5;

/** Returns the lines of `text` most similar to the first line of `wanted`, numbered, in order; empty when none is similar. */
export function nearestLines(text: string, wanted: string): string[] {
  const first = wanted.split("\n").find((line) => line.trim() !== "") ?? "";
  const pairs = characterPairs(first);
  return text
    .split("\n", searchedLines)
    .map((line, index) => ({
      line,
      number: index + 1,
      similarity: similarity(characterPairs(line), pairs),
    }))
    .filter((candidate) => candidate.similarity >= minimumSimilarity)
    .sort((left, right) => right.similarity - left.similarity || left.number - right.number)
    .slice(0, shownLines)
    .sort((left, right) => left.number - right.number)
    .map(
      ({ line, number }) =>
        `${String(number).padStart(6)}\t${line.replace(/\r$/, "").slice(0, lineCharacters)}`,
    );
}

/** Returns the pairs of adjacent characters. White space is left out, so that indentation makes no difference. */
function characterPairs(line: string): Set<string> {
  const letters = line.slice(0, lineCharacters).replaceAll(/\s+/g, "");
  const pairs = new Set<string>(letters.length === 1 ? [letters] : []);
  for (let at = 0; at + 1 < letters.length; at += 1) pairs.add(letters.slice(at, at + 2));
  return pairs;
}

/** Returns Dice's coefficient: 0 for nothing in common, 1 for equal sets. */
function similarity(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  if (left.size + right.size === 0) return 0;
  let common = 0;
  for (const pair of left) if (right.has(pair)) common += 1;
  return (2 * common) / (left.size + right.size);
}
