import { forEachChild, parse, type ParsedScript, type SyntaxNode } from "unbash";

/** The deepest nesting that is read. People write three or four levels; more only costs time. */
const deepestNesting = 32;

/** The most substitutions: each that is not closed makes the parser read the rest of the line again. */
const mostSubstitutions = 64;
/** The most parts of a command line that are looked at: some thousand words. */
const mostNodes = 5000;

/** The command line cannot be read within bounds: whoever forbids must assume the worst of it. */
export class UnreadableCommand extends Error {}

/**
 * Parses a command line of bash or a POSIX shell.
 *
 * @throws UnreadableCommand when it is nested too deeply.
 */
export function readScript(line: string): ParsedScript {
  const substitutions = line.match(/[$<>]\(|\$\[/g)?.length ?? 0;
  const nesting = Math.max(nestingOf(line, "(", ")"), nestingOf(line, "{", "}"));
  if (substitutions > mostSubstitutions || nesting > deepestNesting) throw new UnreadableCommand();
  return bounded(() => parse(line));
}

/**
 * Calls `visit` with `node` and everything in it, in the order of the text.
 *
 * @throws UnreadableCommand when there is too much in it.
 */
export function walkScript(node: SyntaxNode, visit: (node: SyntaxNode) => void): void {
  let left = mostNodes;
  const walk = (one: SyntaxNode): void => {
    left -= 1;
    if (left < 0) throw new UnreadableCommand();
    visit(one);
    forEachChild(one, walk);
  };
  bounded(() => walk(node));
}

/** The parser descends without a limit for some constructs that need no brackets, such as `coproc coproc …`. */
function bounded<Value>(work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) throw new UnreadableCommand();
    throw error;
  }
}

/** How deep brackets of one kind are nested, those in quotes included. */
function nestingOf(line: string, opening: string, closing: string): number {
  let [depth, deepest] = [0, 0];
  for (const character of line) {
    if (character === opening) depth += 1;
    if (character === closing) depth = Math.max(0, depth - 1);
    if (depth > deepest) deepest = depth;
  }
  return deepest;
}
