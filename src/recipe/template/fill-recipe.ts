// The templates of a recipe: parses and fills them as untrusted code.

import type { Diagnostic } from "../../source/diagnostic.ts";
import type { JsonObject, JsonValue } from "../../source/json.ts";
import { createPositionFinder, type KeyPath, type PositionFinder } from "../../source/position.ts";
import { readYaml, type YamlReading } from "../../source/yaml/yaml.ts";
import {
  createMark,
  holdExpressions,
  maskExpressions,
  releaseValues,
  withoutTokens,
} from "./hold-values.ts";
import { findLeaves, lineInLeaf, replaceLeaf } from "./leaves.ts";
import { literalExpressions } from "./literal-braces.ts";
import { performTemplates } from "./perform-templates.ts";
import type { RecipeTemplate } from "../recipe.ts";
import type { TemplateOutcome } from "./template-worker.ts";

/** A filled recipe as data, with the positions of its values in the file. */
export interface FilledRecipe {
  /** `null` when it is invalid YAML or cannot be filled. */
  data: JsonValue | null;
  positionOf: PositionFinder;
  writtenOf: YamlReading["writtenOf"];
  diagnostics: Diagnostic[];
}

/** The part of a recipe that is needed to fill it. */
export interface FillableRecipe {
  path: string;
  template: RecipeTemplate;
}

const nowhere: Pick<FilledRecipe, "positionOf" | "writtenOf"> = {
  positionOf: createPositionFinder(new Map(), { line: 1, column: 1 }),
  writtenOf: () => undefined,
};

/** Fills a recipe. Values become text or part of a text, and can never change its structure. */
export async function fillRecipe(
  recipe: FillableRecipe,
  values: JsonObject,
): Promise<FilledRecipe> {
  if (recipe.template.kind === "leaves") return fillLeaves(recipe, values);
  const mark = createMark();
  return fillWhole(recipe, { values, mark, prepare: holdExpressions, isStrict: true });
}

/** Reads a recipe of kind `whole` without values. Its statements see empty texts, and its expressions stay as written. */
export async function previewWhole(
  recipe: FillableRecipe,
  names: Iterable<string>,
): Promise<FilledRecipe> {
  const values = Object.fromEntries([...names].map((name) => [name, ""]));
  const mark = createMark();
  const expressions: string[] = [];
  const mask = (template: string): string => maskExpressions(template, mark, expressions);
  return fillWhole(recipe, { values, mark, prepare: mask, held: expressions, isStrict: false });
}

async function fillLeaves(recipe: FillableRecipe, values: JsonObject): Promise<FilledRecipe> {
  const { path, template } = recipe;
  const { value, positionOf, writtenOf, diagnostics } = readYaml(template.text, path);
  let data: JsonValue = value ?? null;
  const leaves = findLeaves(data);
  const outcomes = await performTemplates({
    task: "render",
    files: template.files,
    templates: leaves.map(({ text }) => literalExpressions(text, template.literals)),
    values,
    isStrict: true,
    mark: createMark(),
  });
  const problems: Diagnostic[] = [];
  for (const [index, leaf] of leaves.entries()) {
    const outcome = outcomes[index];
    if (outcome === undefined) continue;
    if (outcome.problem === undefined) data = replaceLeaf(data, leaf.keys, outcome.text);
    else {
      const line = lineInLeaf(template.text, positionOf(...leaf.keys).line, outcome.problem.line);
      problems.push(templateProblem(recipe, outcome.problem, line));
    }
  }
  return {
    data: problems.length > 0 ? null : data,
    positionOf,
    writtenOf,
    diagnostics: [...diagnostics, ...problems],
  };
}

/** Options for filling a recipe of kind `whole`. */
interface WholeWork {
  values: JsonObject;
  mark: string;
  /** Rewrites a template so that its expressions produce tokens. */
  prepare: (template: string) => string;
  /** The texts of the tokens; absent = the texts held during filling. */
  held?: readonly string[];
  isStrict: boolean;
}

async function fillWhole(recipe: FillableRecipe, work: WholeWork): Promise<FilledRecipe> {
  const plain = await fillOnce(recipe, work, work.prepare);
  const hasBlocks = [recipe.template, ...recipe.template.files].some(
    ({ text }) => indentBlocks(text) !== text,
  );
  if (plain.data !== null || !hasBlocks) return plain;
  const indented = await fillOnce(recipe, work, (text) => work.prepare(indentBlocks(text)));
  return indented.data === null ? plain : indented;
}

async function fillOnce(
  recipe: FillableRecipe,
  { values, mark, held, isStrict }: WholeWork,
  prepare: WholeWork["prepare"],
): Promise<FilledRecipe> {
  const { text, files, literals } = recipe.template;
  const template = literalExpressions(text, literals);
  const [outcome] = await performTemplates({
    task: "render",
    files: files.map(({ name, text: content }) => ({ name, text: prepare(content) })),
    templates: [prepare(template)],
    values,
    isStrict,
    mark,
  });
  const kept = outcome?.problem === undefined ? (outcome?.held ?? []) : [];
  const source = maskExpressions(template, mark, []);
  return readFilled(recipe, source, outcome, { mark, held: held ?? kept });
}

/**
 * Indents blocks on separate lines of an indented text, because a template that overrides the block does not know the
 * indentation.
 */
function indentBlocks(template: string): string {
  const block = /^([ \t]+)(\{%-?\s*block\s[^%]*%\}[\s\S]*?\{%-?\s*endblock[^%]*%\})/gm;
  return template.replace(
    block,
    (_, indent: string, written: string) =>
      `${indent}{% filter indent(${indent.length}) %}${written}{% endfilter %}`,
  );
}

/** Reads the filled text of a recipe. `source` is the template with a token for each expression, with the same lines. */
function readFilled(
  recipe: FillableRecipe,
  source: string,
  outcome: TemplateOutcome | undefined,
  { mark, held }: { mark: string; held: readonly string[] },
): FilledRecipe {
  if (outcome === undefined) return { data: null, ...nowhere, diagnostics: [] };
  if (outcome.problem !== undefined) {
    const problem = templateProblem(recipe, outcome.problem, outcome.problem.line);
    return { data: null, ...nowhere, diagnostics: [problem] };
  }
  const lineOf = mapLines(source, outcome.text);
  const { value, positionOf, writtenOf, diagnostics } = readYaml(outcome.text, recipe.path);
  return {
    data: value === undefined ? null : releaseValues(value, mark, held),
    writtenOf,
    positionOf: (...keys: KeyPath) => {
      const { line, column } = positionOf(...keys);
      return { line: lineOf(line), column };
    },
    diagnostics: diagnostics.map((one) => onLine(one, lineOf(one.line))),
  };
}

function onLine(diagnostic: Diagnostic, line: number): Diagnostic {
  return { ...diagnostic, line };
}

/** Creates a function that maps a line of the filled text to its line in the template, by comparing the lines. */
function mapLines(source: string, filled: string): (line: number) => number {
  const lines = source.split("\n").map(withoutTokens);
  const origins: number[] = [];
  let last = 0;
  for (const line of filled.split("\n").map(withoutTokens)) {
    const found = line.trim() === "" ? -1 : lines.indexOf(line, last);
    if (found !== -1) last = found;
    origins.push(last + 1);
    if (found !== -1) last += 1;
  }
  return (line) => Math.min(origins[line - 1] ?? 1, lines.length);
}

/** Converts a template's problem to a finding in its file. */
export function templateProblem(
  { path, template }: FillableRecipe,
  { file, line, message }: { file: string | null; line: number; message: string },
  lineInRecipe: number,
): Diagnostic {
  const included = template.files.find(({ name }) => name === file);
  const text = included?.text ?? template.text;
  const at = included === undefined ? lineInRecipe : line;
  const written = (text.split("\n")[at - 1] ?? "").trim();
  const shown = written === "" ? "" : `, in \`${written.slice(0, 120)}\``;
  return {
    path: included?.path ?? path,
    line: at,
    column: 1,
    severity: "error",
    code: "template-invalid",
    message: `The template cannot be filled: ${message.replace(/\.$/, "")}${shown}.`,
    fix: fixFor(message),
  };
}

function fixFor(message: string): string | null {
  if (message.startsWith("undefined value")) {
    return 'Declare the name under `parameters`, or write `{{ name | default("…") }}`.';
  }
  if (message.startsWith("syntax error")) {
    return "Write braces that are meant as text as `{% raw %}…{% endraw %}`.";
  }
  return null;
}
