import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, Visitor } from "rolldown/utils";
import { findUsedFunctions, type UsedFunctions } from "./used-functions.ts";

/** The position of a node of the syntax tree. */
interface Place {
  start: number;
  end: number;
}

/** A function declaration. */
interface Declared extends Place {
  name: string;
}

/**
 * Makes V8 compile the functions that starts call when it loads their files. `folder` is a build. Node's compile cache holds only functions
 * that V8 compiles while it loads a file; each start compiles all others again on their first call
 * (`docs/decisions/0159-functions-that-starts-call-are-in-the-compile-cache.md`).
 */
export async function compileEarly(folder: string): Promise<void> {
  const place = realpathSync(folder);
  for (const [file, used] of await findUsedFunctions(place)) {
    const path = join(place, file);
    writeFileSync(path, markCalled(file, readFileSync(path, "utf8"), used));
  }
}

/**
 * Puts parentheses around the functions in `used`. V8 compiles a function in parentheses at once, because such functions are usually called
 * at once. A declaration becomes a variable above all other code, so that earlier code still finds it.
 */
function markCalled(file: string, code: string, used: UsedFunctions): string {
  const { program, errors } = parseSync(file, code);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const expressions = findExpressions(program).filter((place) => isUsed(place, used));
  const declared = program.body.flatMap((statement): Declared[] => {
    if (statement.type !== "FunctionDeclaration" || !isUsed(statement, used)) return [];
    return statement.id === null ? [] : [{ ...placeOf(statement), name: statement.id.name }];
  });
  const imports = program.body.findLast(({ type }) => type === "ImportDeclaration");
  const top = imports?.end ?? 0;
  const print = createPrinter(code, expressions);
  const above = declared.map((one) => `var ${one.name} = (${print(one.start, one.end)});\n`);
  const rest = [...declared, { start: code.length, end: code.length }].map(({ start }, index) =>
    print(declared[index - 1]?.end ?? top, start),
  );
  return `${print(0, top)}\n${above.join("")}${rest.join("")}`;
}

/** Returns all function expressions except methods, which cannot be in parentheses. */
function findExpressions(program: Parameters<Visitor["visit"]>[0]): Place[] {
  const methods = new Set<object>();
  const found: Place[] = [];
  const add = (node: Place): void => {
    if (!methods.has(node)) found.push(placeOf(node));
  };
  new Visitor({
    Property(node) {
      if (node.method || node.kind !== "init") methods.add(node.value);
    },
    MethodDefinition: (node) => void methods.add(node.value),
    FunctionExpression: add,
    ArrowFunctionExpression: add,
  }).visit(program);
  return found;
}

/** Reports whether a function is in `used`. V8's position of an asynchronous function may begin after `async`. */
function isUsed({ start, end }: Place, used: UsedFunctions): boolean {
  return used.has(`${start}:${end}`) || used.has(`${start + "async ".length}:${end}`);
}

/** Creates the function that returns a part of `code` with parentheses around the `expressions` in it. */
function createPrinter(
  code: string,
  expressions: readonly Place[],
): (from: number, to: number) => string {
  const marks = expressions.flatMap(({ start, end }) => [
    { at: start, text: "(" },
    { at: end, text: ")" },
  ]);
  // One function ends before the next one begins.
  marks.sort((one, other) => one.at - other.at || (one.text === ")" ? -1 : 1));
  return (from, to) => {
    const parts: string[] = [];
    let at = from;
    for (const mark of marks) {
      if (mark.at < from || mark.at > to) continue;
      parts.push(code.slice(at, mark.at), mark.text);
      at = mark.at;
    }
    return `${parts.join("")}${code.slice(at, to)}`;
  };
}

function placeOf({ start, end }: Place): Place {
  return { start, end };
}
