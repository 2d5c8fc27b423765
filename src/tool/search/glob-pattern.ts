import picomatch from "picomatch";
import { CadreError } from "../../errors.ts";

/** The maximum number of stars in a path segment; more can keep a matcher busy forever. */
const starsPerSegment = 4;
const maxPatternLength = 1000;

/**
 * Creates a predicate for paths relative to the searched folder, with `/` between names. A leading `!` negates the pattern.
 *
 * @throws CadreError `tool-failed` for a pattern that would take too long to match.
 */
export function createGlobMatcher(pattern: string): (path: string) => boolean {
  const isNegated = pattern.startsWith("!");
  const glob = (isNegated ? pattern.slice(1) : pattern).replace(/^\.\//, "");
  if (isTooComplex(glob)) {
    throw new CadreError(
      "tool-failed",
      `The glob ${pattern.slice(0, 200)} is too complex: expected at most ${starsPerSegment} stars between two slashes, and no nested groups.`,
    );
  }
  const isMatch = picomatch(glob, { dot: true });
  return (path) => isMatch(path) !== isNegated;
}

/** Reports whether matching `glob` can take long. */
export function isTooComplex(glob: string): boolean {
  if (glob.length > maxPatternLength || glob.split("**").length > 6) return true;
  if (/[+*?@!]\([^)]*[*+?(]/.test(glob)) return true;
  return glob
    .split("/")
    .some((segment) => segment.replaceAll("**", "").split("*").length - 1 > starsPerSegment);
}
