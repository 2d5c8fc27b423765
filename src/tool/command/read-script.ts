import { forEachChild, parse, type ParsedScript, type SyntaxNode } from "unbash";

/** The maximum nesting depth. People write three or four levels; more only costs time. */
const maxNesting = 32;

/** The maximum number of substitutions: the parser reads the rest of the line again for each unclosed one. */
const maxSubstitutions = 64;
/** The maximum number of syntax nodes examined: a few thousand words. */
const maxNodes = 5000;

/** Thrown for a command line that exceeds the limits. A deny rule must then assume a match. */
export class UnreadableCommand extends Error {}

/**
 * Parses a command line of bash or a POSIX shell.
 *
 * @throws UnreadableCommand when it is nested too deeply.
 */
export function readScript(line: string): ParsedScript {
  const substitutions = line.match(/[$<>]\(|\$\[/g)?.length ?? 0;
  const nesting = Math.max(nestingOf(line, "(", ")"), nestingOf(line, "{", "}"));
  if (substitutions > maxSubstitutions || nesting > maxNesting) throw new UnreadableCommand();
  return bounded(() => parse(line));
}

/**
 * Calls `visit` for `node` and all its descendants, in source order.
 *
 * @throws UnreadableCommand when there are too many.
 */
export function walkScript(node: SyntaxNode, visit: (node: SyntaxNode) => void): void {
  let left = maxNodes;
  const walk = (one: SyntaxNode): void => {
    left -= 1;
    if (left < 0) throw new UnreadableCommand();
    visit(one);
    forEachChild(one, walk);
  };
  bounded(() => walk(node));
}

/**
 * Turns a stack overflow into {@link UnreadableCommand}: the parser recurses without limit on constructs without brackets, such
 * as `coproc coproc …`.
 */
function bounded<Value>(work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) throw new UnreadableCommand();
    throw error;
  }
}

/** Returns the nesting depth of one kind of bracket, brackets in quotes included. */
function nestingOf(line: string, opening: string, closing: string): number {
  let [depth, deepest] = [0, 0];
  for (const character of line) {
    if (character === opening) depth += 1;
    if (character === closing) depth = Math.max(0, depth - 1);
    if (depth > deepest) deepest = depth;
  }
  return deepest;
}
