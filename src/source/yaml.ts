import { type Document, parseDocument } from "yaml";
import { convertYaml, invalidYaml, maxValues, referredAnchors } from "./convert-yaml.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { JsonValue } from "./json.ts";
import { createLineIndex, createPlaceFinder, type Place, type PlaceFinder } from "./place.ts";

/** The longest text that is read, in characters. */
const maxCharacters = 256 * 1024;

/** One slip makes a reader stumble over everything behind it; only its first problems tell what to mend. */
const maxProblems = 3;

const tooDeep = "The YAML is nested too deeply.";

/** What a YAML text says. */
export interface YamlReading {
  /** `undefined` when the text is empty or not valid. */
  value: JsonValue | undefined;
  /** The place of a key, or of a list's item. */
  placeOf: PlaceFinder;
  /** Errors only; `duplicate-key` is the one kind that leaves a value (the last one wins). */
  diagnostics: Diagnostic[];
}

/**
 * Reads YAML (or JSON) that somebody wrote, into plain JSON. Custom tags, alias bombs and deep nesting are errors, and a
 * key such as `__proto__` is a key like any other. `firstLine` is the line of the file that `text` begins on.
 */
export function readYaml(text: string, path: string, firstLine = 1): YamlReading {
  const index = createLineIndex(text);
  const placeAt = (offset: number): Place => {
    const { line, column } = index(offset);
    return { line: line + firstLine - 1, column };
  };
  const places = new Map<string, Place>();
  const placeOf = createPlaceFinder(places, { line: firstLine, column: 1 });
  const diagnostics: Diagnostic[] = [];
  const at = { line: firstLine, column: 1 };
  if (text.length > maxCharacters) {
    const message = `Expected at most ${maxCharacters} characters of YAML, got ${text.length}.`;
    diagnostics.push({ ...invalidYaml(path, at, message), code: "yaml-too-large" });
    return { value: undefined, placeOf, diagnostics };
  }
  const document = parse(text);
  if (document === null) {
    diagnostics.push(invalidYaml(path, at, tooDeep));
    return { value: undefined, placeOf, diagnostics };
  }
  const problems = [...document.errors, ...document.warnings];
  for (const problem of problems.slice(0, maxProblems)) {
    diagnostics.push(invalidYaml(path, placeAt(problem.pos[0]), sentence(problem.message)));
  }
  if (diagnostics.length > 0 || document.contents === null) {
    return { value: undefined, placeOf, diagnostics };
  }
  const referred = referredAnchors(document);
  const state = {
    path,
    document,
    placeAt,
    places,
    diagnostics,
    anchors: new Map(),
    referred,
    remaining: maxValues,
  };
  const value = convertYaml(document.contents, [], state);
  const isUsable = diagnostics.every((diagnostic) => diagnostic.code === "duplicate-key");
  return { value: isUsable ? value : undefined, placeOf, diagnostics };
}

function parse(text: string): Document.Parsed | null {
  try {
    return parseDocument(text, { prettyErrors: false, logLevel: "silent", uniqueKeys: false });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function sentence(message: string): string {
  const trimmed = message.trim();
  if (trimmed.startsWith("Maximum call stack")) return tooDeep;
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
