import { scanTemplate, type TemplatePart } from "./scan-template.ts";

/** A use of a name that a template does not define. */
export interface NameUse {
  name: string;
  /** The offset in the template. */
  at: number;
}

/** The names and files that a template refers to. */
export interface TemplateReferences {
  /** All uses of names that the template does not define. */
  names: NameUse[];
  /** The templates that it includes, extends or imports; `name` is `null` for a computed name. */
  files: { name: string | null; isOptional: boolean; at: number }[];
}

interface Token {
  /** A `word` is a keyword, such as `in` or `if`. */
  kind: "name" | "word" | "text" | "other";
  value: string;
  at: number;
}

const lexicon = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[\p{L}_][\p{L}\p{N}_]*|\d[\w.]*|[=!<>]=|\S/gsu;

/** Words that are never names. `self` holds the blocks of a template. */
export const reservedWords: ReadonlySet<string> = new Set(
  "not true True false False none None self".split(" "),
);

/** Words that are keywords after a value and names elsewhere, and are followed by a value. */
const joiningWords: ReadonlySet<string> = new Set("and or in is if else as import".split(" "));
/** Words that are keywords after a value and names elsewhere, and are not followed by a value. */
const trailingWords: ReadonlySet<string> = new Set(
  "not recursive ignore missing with without context".split(" "),
);

/** The functions of the engine, without `debug`. It would show all values, so it is reported as an undeclared name. */
const functions: ReadonlySet<string> = new Set(
  "range dict namespace cycler joiner super caller".split(" "),
);

/**
 * Finds the names and files that a template refers to, in order. `literals` are the contents of braces that are not expressions.
 */
export function findReferences(
  template: string,
  literals: readonly string[] = [],
): TemplateReferences {
  const found: TemplateReferences = { names: [], files: [] };
  const scopes: Set<string>[] = [new Set()];
  for (const part of scanTemplate(template)) {
    const tokens = tokenize(template, part);
    if (part.kind === "expression" && !literals.includes(part.inner))
      collect(tokens, scopes, found);
    if (part.kind === "statement") readStatement(tokens, scopes, found);
  }
  return found;
}

function tokenize(template: string, part: TemplatePart): Token[] {
  if (part.kind !== "expression" && part.kind !== "statement") return [];
  const offset = template.indexOf(part.inner, part.start + 2);
  const tokens: Token[] = [];
  let isValueDue = true;
  for (const { 0: value, index } of part.inner.matchAll(lexicon)) {
    const kind = kindOf(value, isValueDue);
    tokens.push({ kind, value, at: offset + index });
    const isKeyword = part.kind === "statement" && tokens.length === 1;
    isValueDue = isKeyword || expectsValue(kind, value, isValueDue);
  }
  return tokens;
}

function kindOf(value: string, isValueDue: boolean): Token["kind"] {
  if (/^["']/.test(value)) return "text";
  if (!/^[\p{L}_]/u.test(value)) return "other";
  if (reservedWords.has(value)) return "word";
  return !isValueDue && (joiningWords.has(value) || trailingWords.has(value)) ? "word" : "name";
}

/** Reports whether a value must follow a token. */
function expectsValue(kind: Token["kind"], value: string, wasDue: boolean): boolean {
  if (kind === "other") return !/^[\d)\]}]/.test(value);
  return kind === "word" && (joiningWords.has(value) || (value === "not" && wasDue));
}

function readStatement(tokens: Token[], scopes: Set<string>[], found: TemplateReferences): void {
  const [keyword, ...rest] = tokens;
  if (keyword === undefined) return undefined;
  switch (keyword.value) {
    case "for":
      return readFor(rest, scopes, found);
    case "set":
      return readSet(rest, scopes, found);
    case "macro":
      scopes.at(-1)?.add(rest[0]?.value ?? "");
      return readArguments(rest.slice(1), scopes, found);
    case "call":
      return readCall(rest, scopes, found);
    case "with":
      return readWith(rest, scopes, found);
    case "include":
    case "extends":
    case "import":
    case "from":
      return readFile(keyword, rest, scopes, found);
    case "endfor":
    case "endmacro":
    case "endcall":
    case "endwith":
      if (scopes.length > 1) scopes.pop();
      return undefined;
    case "block":
      return undefined;
    case "filter":
      return collect(rest.slice(1), scopes, found);
    default:
      return collect(rest, scopes, found);
  }
}

function readFor(tokens: Token[], scopes: Set<string>[], found: TemplateReferences): void {
  const middle = findWord(tokens, "in");
  const condition = findWord(tokens, "if");
  const end = condition === -1 ? tokens.length : condition;
  collect(tokens.slice(middle + 1, end), scopes, found);
  scopes.push(new Set(["loop", ...namesOf(tokens.slice(0, Math.max(0, middle)))]));
  collect(tokens.slice(end), scopes, found);
}

function readSet(tokens: Token[], scopes: Set<string>[], found: TemplateReferences): void {
  const equals = tokens.findIndex(({ value }) => value === "=");
  const targets = equals === -1 ? tokens.slice(0, 1) : tokens.slice(0, equals);
  collect(tokens.slice(equals === -1 ? 1 : equals + 1), scopes, found);
  if (targets.some(({ value }) => value === ".")) collect(targets, scopes, found);
  else for (const name of namesOf(targets)) scopes.at(-1)?.add(name);
}

/** Reads `(a, b=c)`, which defines the names before the equals signs and uses the ones after them. */
function readArguments(tokens: Token[], scopes: Set<string>[], found: TemplateReferences): void {
  const isDefault = (at: number): boolean => tokens[at - 1]?.value === "=";
  collect(
    tokens.filter((_, at) => isDefault(at)),
    scopes,
    found,
  );
  scopes.push(new Set(namesOf(tokens.filter((_, at) => !isDefault(at)))));
}

function readCall(tokens: Token[], scopes: Set<string>[], found: TemplateReferences): void {
  const hasArguments = tokens[0]?.value === "(";
  const close = hasArguments ? tokens.findIndex(({ value }) => value === ")") : -1;
  collect(tokens.slice(close + 1), scopes, found);
  scopes.push(new Set(namesOf(tokens.slice(0, close + 1))));
}

function readWith(tokens: Token[], scopes: Set<string>[], found: TemplateReferences): void {
  const isTarget = (at: number): boolean => tokens[at + 1]?.value === "=";
  collect(
    tokens.filter((_, at) => !isTarget(at)),
    scopes,
    found,
  );
  scopes.push(new Set(namesOf(tokens.filter((_, at) => isTarget(at)))));
}

function readFile(
  keyword: Token,
  tokens: Token[],
  scopes: Set<string>[],
  found: TemplateReferences,
): void {
  const split = keyword.value === "from" ? "import" : "as";
  const end = findWord(tokens, split);
  const source = end === -1 ? tokens : tokens.slice(0, end);
  const isOptional = findWord(tokens, "missing") !== -1;
  const written = source.filter(({ kind }) => kind === "text");
  const isComputed = written.length === 0 || namesOf(source).length > 0;
  if (isComputed) found.files.push({ name: null, isOptional, at: keyword.at });
  for (const { value, at } of written) {
    const name = value.slice(1, -1);
    found.files.push({ name, isOptional: isOptional || written.length > 1, at });
  }
  collect(source, scopes, found);
  for (const name of namesOf(end === -1 ? [] : tokens.slice(end + 1))) scopes.at(-1)?.add(name);
}

/** Adds the names in an expression that no enclosing scope defines. */
function collect(tokens: Token[], scopes: Set<string>[], found: TemplateReferences): void {
  for (const [index, { kind, value, at }] of tokens.entries()) {
    if (kind !== "name") continue;
    const before = tokens[index - 1]?.value;
    const isCall = functions.has(value) && tokens[index + 1]?.value === "(";
    const isPartOf = before === "." || before === "|" || before === "is";
    const isTest = before === "not" && tokens[index - 2]?.value === "is";
    const isArgumentName = tokens[index + 1]?.value === "=" && (before === "(" || before === ",");
    if (isCall || isPartOf || isTest || isArgumentName) continue;
    if (!scopes.some((scope) => scope.has(value))) found.names.push({ name: value, at });
  }
}

function findWord(tokens: readonly Token[], word: string): number {
  return tokens.findIndex(({ kind, value }) => kind === "word" && value === word);
}

function namesOf(tokens: readonly Token[]): string[] {
  return tokens.filter(({ kind }) => kind === "name").map(({ value }) => value);
}
