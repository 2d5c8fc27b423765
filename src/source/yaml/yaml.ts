// YAML and frontmatter, with positions and tolerance for common errors.

import { Composer, type Document, Parser } from "yaml";
import { convertYaml, invalidYaml, maxValues, referredAnchors } from "./convert-yaml.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { JsonValue } from "../json.ts";
import {
  createLineIndex,
  createPositionFinder,
  type KeyPath,
  type Position,
  positionKey,
  type PositionFinder,
} from "../position.ts";
import { readWrittenJson } from "./written-json.ts";

/** The maximum length of a text, in characters. */
const maxCharacters = 256 * 1024;

/** The maximum number of problems reported. One error causes many more, so only the first ones help. */
const maxProblems = 3;

const tooDeep = "The YAML is nested too deeply.";

/** The result of reading YAML. */
export interface YamlReading {
  /** The value; `undefined` when the text is empty or invalid. */
  value: JsonValue | undefined;
  /** Returns the position of a key or list item. */
  positionOf: PositionFinder;
  /** Returns the written form of a number or boolean, such as `1.10` or `True`; `undefined` for anything else. */
  writtenOf: (...keys: KeyPath) => string | undefined;
  /** The errors. If all are `duplicate-key` errors, there is still a value, in which the last key is used. */
  diagnostics: Diagnostic[];
}

/**
 * Reads untrusted YAML or JSON into plain JSON. Custom tags, alias bombs and deep nesting are errors. A key such as
 * `__proto__` is an ordinary key. `firstLine` is the line of the file on which `text` begins.
 */
export function readYaml(text: string, path: string, firstLine = 1): YamlReading {
  const value = text.length > maxCharacters ? undefined : readWrittenJson(text);
  if (value === undefined) return readDocument(text, path, firstLine);
  let document: YamlReading | undefined;
  // Only findings need positions.
  const places = (): YamlReading => (document ??= readDocument(text, path, firstLine));
  return {
    value,
    positionOf: (...keys) => places().positionOf(...keys),
    writtenOf: (...keys) => places().writtenOf(...keys),
    diagnostics: [],
  };
}

function readDocument(text: string, path: string, firstLine: number): YamlReading {
  const index = createLineIndex(text);
  const positionAt = (offset: number): Position => {
    const { line, column } = index(offset);
    return { line: line + firstLine - 1, column };
  };
  const positions = new Map<string, Position>();
  const positionOf = createPositionFinder(positions, { line: firstLine, column: 1 });
  const written = new Map<string, string>();
  const writtenOf: YamlReading["writtenOf"] = (...keys) => written.get(positionKey(keys));
  const diagnostics: Diagnostic[] = [];
  const unread = { value: undefined, positionOf, writtenOf, diagnostics };
  const at = { line: firstLine, column: 1 };
  if (text.length > maxCharacters) {
    const message = `Expected at most ${maxCharacters} characters of YAML, got ${text.length}.`;
    diagnostics.push({ ...invalidYaml(path, at, message), code: "yaml-too-large" });
    return unread;
  }
  const parsed = parse(text);
  if (parsed === null) {
    diagnostics.push(invalidYaml(path, at, tooDeep));
    return unread;
  }
  const { document, second } = parsed;
  if (second !== undefined) {
    diagnostics.push(severalDocuments(path, positionAt(second.range[0])));
    return unread;
  }
  const problems = [...document.errors, ...document.warnings];
  for (const problem of problems.slice(0, maxProblems)) {
    diagnostics.push(invalidYaml(path, positionAt(problem.pos[0]), sentence(problem.message)));
  }
  if (diagnostics.length > 0 || document.contents === null) {
    return unread;
  }
  const referred = referredAnchors(document);
  const state = {
    path,
    document,
    positionAt,
    positions,
    written,
    diagnostics,
    anchors: new Map(),
    referred,
    remaining: maxValues,
  };
  const value = convertYaml(document.contents, [], state);
  const isUsable = diagnostics.every((diagnostic) => diagnostic.code === "duplicate-key");
  return { ...unread, value: isUsable ? value : undefined };
}

const options = { prettyErrors: false, logLevel: "silent", uniqueKeys: false } as const;

/** Parses the first document of a text and the next one that is not empty; `null` when nested too deeply. */
function parse(text: string): { document: Document.Parsed; second?: Document.Parsed } | null {
  try {
    const documents = new Composer(options).compose(new Parser().parse(text), true, text.length);
    // With `forceDoc`, even an empty text has a document.
    const document = documents.next().value as Document.Parsed;
    for (const second of documents) if (hasContent(second)) return { document, second };
    return { document };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function hasContent({ contents, errors }: Document.Parsed): boolean {
  const [start, end] = contents?.range ?? [0, 0];
  return end > start || errors.length > 0;
}

function severalDocuments(path: string, at: Position): Diagnostic {
  const message = "Expected one YAML document, but a second one begins here.";
  const fix =
    "Indent this line if it belongs to a text; otherwise move what follows to a file of its own.";
  return { path, ...at, severity: "error", code: "yaml-documents", message, fix };
}

function sentence(message: string): string {
  const trimmed = message.trim();
  if (trimmed.startsWith("Maximum call stack")) return tooDeep;
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
