import type { AST } from "toml-eslint-parser";
import { loadLazily } from "./load-lazily.ts";
import { type KeyPath, type Position, positionKey } from "./position.ts";
import type * as TomlAst from "./toml-ast-library.ts";

/** Records the position of a node as the position of the value at `path`. */
type Remember = (path: KeyPath, node: AST.TOMLNode) => void;

/**
 * Returns the positions of keys and list items in valid TOML. A repeated key has the position of its first occurrence. Returns none
 * for the few texts that smol-toml accepts and this parser refuses, such as one with the date 1979-02-30.
 */
export function findTomlPositions(text: string, firstLine: number): Map<string, Position> {
  const positions = new Map<string, Position>();
  const remember: Remember = (path, { loc: { start } }) => {
    const key = positionKey(path);
    const position = { line: firstLine - 1 + start.line, column: start.column + 1 };
    if (!positions.has(key)) positions.set(key, position);
  };
  for (const node of parseNodes(text)) {
    if (node.type === "TOMLKeyValue") visitPair(node, [], remember);
    else visitTable(node, remember);
  }
  return positions;
}

function parseNodes(text: string): AST.TOMLTopLevelTable["body"] {
  const library = loadLazily("./toml-ast-library", import.meta.url) as typeof TomlAst;
  try {
    return library.parseTOML(text, { tomlVersion: "1.1" }).body[0].body;
  } catch (error) {
    if (error instanceof library.ParseError) return [];
    throw error;
  }
}

function visitTable(table: AST.TOMLTable, remember: Remember): void {
  const path = table.resolvedKey;
  for (const index of path.keys()) remember(path.slice(0, index + 1), table);
  for (const pair of table.body) visitPair(pair, path, remember);
}

function visitPair(pair: AST.TOMLKeyValue, table: KeyPath, remember: Remember): void {
  const path = [...table];
  for (const key of pair.key.keys) {
    path.push(key.type === "TOMLBare" ? key.name : key.value);
    remember(path, pair);
  }
  visitValue(pair.value, path, remember);
}

function visitValue(value: AST.TOMLContentNode, path: KeyPath, remember: Remember): void {
  if (value.type === "TOMLInlineTable") {
    for (const pair of value.body) visitPair(pair, path, remember);
  } else if (value.type === "TOMLArray") {
    for (const [index, item] of value.elements.entries()) {
      remember([...path, index], item);
      visitValue(item, [...path, index], remember);
    }
  }
}
