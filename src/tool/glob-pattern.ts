import picomatch from "picomatch";
import { CadreError } from "../errors.ts";

/** Stars of one path segment; more of them can keep a matcher busy for ever. */
const starsPerSegment = 4;
const longestPattern = 1000;

/**
 * A predicate for paths relative to the folder that is searched, with `/` between names. A pattern that begins with
 * `!` is for everything else.
 *
 * @throws CadreError `tool-failed` for a pattern that would take too long to match.
 */
export function createGlobMatcher(pattern: string): (path: string) => boolean {
  const isNegated = pattern.startsWith("!");
  const glob = (isNegated ? pattern.slice(1) : pattern).replace(/^\.\//, "");
  if (isTooComplex(glob)) {
    throw new CadreError(
      "tool-failed",
      `The glob ${pattern.slice(0, 200)} is too complex: at most ${starsPerSegment} stars between two slashes are expected, and no nested groups.`,
    );
  }
  const isMatch = picomatch(glob, { dot: true });
  return (path) => isMatch(path) !== isNegated;
}

/** Whether matching `glob` can take more than a moment. */
export function isTooComplex(glob: string): boolean {
  if (glob.length > longestPattern || glob.split("**").length > 6) return true;
  if (/[+*?@!]\([^)]*[*+?(]/.test(glob)) return true;
  return glob
    .split("/")
    .some((segment) => segment.replaceAll("**", "").split("*").length - 1 > starsPerSegment);
}
