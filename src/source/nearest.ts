/**
 * Returns the candidate nearest to `name`, ignoring case, or `null` when none is within `maxEdits` edits. Default: a
 * third of the characters; none of a single one, from which every other one is an edit away.
 */
export function nearest(
  name: string,
  candidates: Iterable<string>,
  maxEdits: number = name.length === 1 ? 0 : Math.max(1, Math.floor(name.length / 3)),
): string | null {
  const wanted = name.toLowerCase();
  let best: string | null = null;
  let bestDistance = maxEdits + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/**
 * Returns `Did you mean X?` for messages, or an empty string when no candidate is near. A longer or shorter form of a
 * word is near.
 */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const all = [...candidates];
  const found = nearest(name, all) ?? all.find((candidate) => isFormOf(name, candidate));
  return found === undefined ? "" : ` Did you mean \`${found}\`?`;
}

/** The minimum length of a word that counts as a form of a longer one, such as `plan` of `planner`. */
const minFormLength = 4;

/** Reports whether one of two words is a prefix of the other, such as `timeout` of `timeoutSeconds`. */
function isFormOf(left: string, right: string): boolean {
  const [short = "", long = ""] = [left.toLowerCase(), right.toLowerCase()].toSorted(
    (one, other) => one.length - other.length,
  );
  return short.length >= minFormLength && long.startsWith(short);
}

/** Counts the insertions, deletions, changes and swaps of neighbours that turn `left` into `right`. */
function editDistance(left: string, right: string): number {
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      const swap = isSwap ? (before[j - 2] ?? 0) + 1 : change;
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[right.length] ?? 0;
}
