import { relative } from "node:path";
import { type Node, SyntaxKind } from "typescript/unstable/ast";
import {
  isExpressionWithTypeArguments,
  isTypeQueryNode,
  isTypeReferenceNode,
} from "typescript/unstable/ast/is";
import { NodeBuilderFlags, type Symbol, SymbolFlags, TypeFlags } from "typescript/unstable/sync";
import type { Declarations } from "./emit-declarations.ts";

/** A declared type, function, class or constant of Cadre. */
export interface PublicName {
  /** The name that the module declares. */
  name: string;
  isType: boolean;
  /** The path of the module relative to `src`, such as `run/result.ts`. */
  module: string;
  /** The comment before it, including its marks; empty without one. */
  comment: string;
  /** The declarations, with the comments of members. */
  code: string;
  /** The names in its declarations. */
  uses: PublicName[];
}

/** An entry point of the package. */
export interface EntryPoint {
  /** The import name, such as `cadre/host`. */
  name: string;
  /** The comment at the beginning of the module, including its marks. */
  comment: string;
  /** The names by their exported name. */
  names: Map<string, PublicName>;
}

/** Reads the exports of each entry point, and all types that they use. */
export function readEntryPoints(declarations: Declarations): EntryPoint[] {
  const { project, entries } = declarations;
  const reader = createReader(declarations);
  return entries.map(({ name, path }) => {
    const file = project.program.getSourceFile(path);
    const module = file && project.checker.getSymbolAtLocation(file);
    if (module === undefined) throw new Error(`Expected an entry point with exports in ${path}.`);
    const names = new Map<string, PublicName>();
    for (const symbol of project.checker.getExportsOfModule(module)) {
      const found = reader.read(symbol);
      if (found !== undefined) names.set(symbol.name, found);
    }
    return { name, comment: commentOf(file?.statements[0]), names };
  });
}

function createReader({ project, folder }: Declarations): {
  read(symbol: Symbol): PublicName | undefined;
} {
  const { checker } = project;
  const known = new Map<number, PublicName>();

  /** Returns `undefined` for names of other packages and of the language. */
  function read(given: Symbol): PublicName | undefined {
    const symbol = given.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(given) : given;
    const found = known.get(symbol.id);
    if (found !== undefined || symbol.flags & SymbolFlags.TypeParameter) return found;
    const nodes = symbol.declarations.flatMap((handle) => handle.resolve(project) ?? []);
    const [first] = nodes.map(toStatement);
    const path = first?.getSourceFile().fileName ?? "";
    if (first === undefined || !path.startsWith(`${folder}/`)) return undefined;
    const union = listedUnion(symbol, nodes);
    const declared: PublicName = {
      name: symbol.name,
      isType: (symbol.flags & SymbolFlags.Value) === 0,
      module: relative(folder, path).replace(/\.d\.ts$/, ".ts"),
      comment: commentOf(first),
      code: union ?? nodes.map(toStatement).map(toCode).join("\n"),
      uses: [],
    };
    known.set(symbol.id, declared);
    if (union === undefined) nodes.forEach((node) => collect(node, declared));
    return declared;
  }

  /** Returns the members of a union that is declared as those of a constant list. */
  function listedUnion(symbol: Symbol, [node]: readonly Node[]): string | undefined {
    if (!/= \(typeof \w+\)\[number\];$/.test(node?.getText() ?? "")) return undefined;
    const type = checker.getDeclaredTypeOfSymbol(symbol);
    if ((type.flags & TypeFlags.Union) === 0) return undefined;
    const flags = NodeBuilderFlags.NoTruncation | NodeBuilderFlags.InTypeAlias;
    const words = checker.typeToString(type, undefined, flags).split(" | ");
    return `type ${symbol.name} =\n  | ${words.join("\n  | ")};`;
  }

  function collect(node: Node, user: PublicName): void {
    const name = nameIn(node);
    const symbol = name && checker.getSymbolAtLocation(name);
    const found = symbol && read(symbol);
    if (found !== undefined && found !== user && !user.uses.includes(found)) user.uses.push(found);
    node.forEachChild((child) => collect(child, user));
  }

  return { read };
}

/** Returns the documentation comment before a statement, including its marks; empty without one. */
function commentOf(statement: Node | undefined): string {
  return statement?.jsDoc?.at(-1)?.getText() ?? "";
}

/** Returns the name that a node refers to, if it is a reference to a type or a constant. */
function nameIn(node: Node): Node | undefined {
  if (isTypeReferenceNode(node)) return node.typeName;
  if (isExpressionWithTypeArguments(node)) return node.expression;
  return isTypeQueryNode(node) ? node.exprName : undefined;
}

/** Returns the statement of a declaration. Constants are declared within a statement. */
function toStatement(node: Node): Node {
  return node.kind === SyntaxKind.VariableDeclaration ? node.parent.parent : node;
}

function toCode(node: Node): string {
  return node
    .getText()
    .replace(/^export /, "")
    .replace(/^declare /, "")
    .replaceAll(/^(?: {4})+/gm, (indent) => " ".repeat(indent.length / 2));
}
