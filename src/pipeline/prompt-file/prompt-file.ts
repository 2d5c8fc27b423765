// Prompt files: parses and checks their parameters and instruction, and inserts answers.

import type { Diagnostic } from "../../source/diagnostic.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../source/json.ts";
import { createPositionFinder, type PositionFinder } from "../../source/position.ts";
import { readTextFile } from "../../source/file/text-file.ts";
import { readToml } from "../../source/toml.ts";
import { readYaml } from "../../source/yaml/yaml.ts";
import { checkParameters } from "./check-parameters.ts";
import { describeJson } from "./describe-json.ts";
import { type ParameterSource, splitPrompt } from "./prompt-section.ts";

/** A parsed prompt file. */
export interface PromptFile {
  /** Absolute. */
  path: string;
  /**
   * The parameters as written, including `sub_agents` and unknown ones. A later source replaces a parameter of an earlier one.
   */
  params: JsonObject;
  instruction: string;
  /** The line of each effective parameter. */
  lines: Record<string, number>;
  /** Returns the place of a parameter, or of a part of one. */
  positionOf: PositionFinder;
  /** A file with an error cannot run. */
  diagnostics: Diagnostic[];
}

interface Reading {
  value: JsonValue | undefined;
  positionOf: PositionFinder;
  diagnostics: Diagnostic[];
}

/** Reads a prompt file; `path` is absolute. Never throws: problems are diagnostics. */
export async function readPromptFile(path: string): Promise<PromptFile> {
  const { text, diagnostics } = await readTextFile(path);
  const prompt = parsePrompt(text ?? "", path);
  if (text === null) return { ...prompt, diagnostics };
  return { ...prompt, diagnostics: [...diagnostics, ...prompt.diagnostics] };
}

/** Parses the text of a prompt file with the line ending `\n`. */
export function parsePrompt(text: string, path: string): PromptFile {
  const sections = splitPrompt(text, path);
  const diagnostics = [...sections.diagnostics];
  const params = new Map<string, JsonValue>();
  const finders = new Map<string, PositionFinder>();
  for (const source of sections.sources) {
    const { value, positionOf, diagnostics: found } = readSource(source, path);
    diagnostics.push(...found);
    if (value === undefined || value === null) continue;
    if (!isRecord(value)) {
      diagnostics.push(notTable(path, source, value));
      continue;
    }
    for (const [key, parameter] of Object.entries(value)) {
      const earlier = finders.get(key);
      if (earlier !== undefined) diagnostics.push(replaced(path, key, earlier, positionOf));
      params.set(key, parameter);
      finders.set(key, positionOf);
    }
  }
  const positionOf = joinFinders(finders);
  const prompt = { path, params: Object.fromEntries(params), positionOf };
  if (sections.instruction === "") diagnostics.push(noInstruction(path));
  diagnostics.push(...checkParameters(prompt));
  const lines = Object.fromEntries([...finders].map(([key, find]) => [key, find(key).line]));
  return { ...prompt, instruction: sections.instruction, lines, diagnostics };
}

function readSource({ language, text, line }: ParameterSource, path: string): Reading {
  return language === "toml" ? readToml(text, path, line) : readYaml(text, path, line);
}

/** Joins the place finders of all parameters, each from its own source. */
function joinFinders(finders: ReadonlyMap<string, PositionFinder>): PositionFinder {
  const start = createPositionFinder(new Map(), { line: 1, column: 1 });
  return (...keys) => (finders.get(String(keys[0])) ?? start)(...keys);
}

function notTable(path: string, { line }: ParameterSource, value: JsonValue): Diagnostic {
  const message = `Expected parameters, a table of keys and values; got ${describeJson(value)}.`;
  const fix = "Write one `key: value` (YAML) or `key = value` (TOML) per line.";
  return { path, line, column: 1, severity: "error", code: "parameters-shape", message, fix };
}

function replaced(
  path: string,
  key: string,
  earlier: PositionFinder,
  positionOf: PositionFinder,
): Diagnostic {
  const message = `\`${key}\` replaces the one on line ${earlier(key).line}.`;
  const position = { path, ...positionOf(key) };
  return { ...position, severity: "info", code: "parameter-replaced", message, fix: null };
}

function noInstruction(path: string): Diagnostic {
  const message = "The file has no instruction; only a sub-agent can give one.";
  const fix = "Write the instruction below the parameters.";
  const position = { path, line: 1, column: 1 };
  return { ...position, severity: "warning", code: "no-instruction", message, fix };
}
