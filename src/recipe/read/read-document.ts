// Reads the content of a recipe, with findings at positions.

import type { Diagnostic } from "../../source/diagnostic.ts";
import type { JsonObject, JsonValue } from "../../source/json.ts";
import { isRecord } from "../../source/json.ts";
import type { KeyPath, PositionFinder } from "../../source/position.ts";
import { readYaml, type YamlReading } from "../../source/yaml/yaml.ts";
import { previewWhole, templateProblem } from "../template/fill-recipe.ts";
import { findLeaves, lineInLeaf, textsIn } from "../template/leaves.ts";
import { findLiterals, literalExpressions } from "../template/literal-braces.ts";
import { performTemplates } from "../template/perform-templates.ts";
import type { RecipeTemplate } from "../recipe.ts";
import { explainBlocks, explainQuotes, repairYaml } from "./repair-yaml.ts";
import { countMarks, isTemplate, scanTemplate } from "../template/scan-template.ts";
import { findReferences, type NameUse } from "../template/template-names.ts";

/** A recipe's file before it is filled. */
export interface RecipeDocument {
  template: RecipeTemplate;
  /** The recipe itself, at `keys` in the file; `null` when the file is unreadable. */
  data: JsonObject | null;
  keys: KeyPath;
  positionOf: PositionFinder;
  writtenOf: YamlReading["writtenOf"];
  /** The names that the recipe uses without defining them, with offsets in the file. */
  names: NameUse[];
  diagnostics: Diagnostic[];
}

/** Reads a recipe's file before it is filled. */
export async function readDocument(
  path: string,
  text: string,
  files: RecipeTemplate["files"],
): Promise<RecipeDocument> {
  const yaml = readYaml(text, path);
  const value = yaml.value ?? null;
  if (isLeafTemplate(text, value)) return readLeaves({ ...yaml, path, text, files, value });
  const whole = isTemplate(text) ? await readWhole(path, text, files) : null;
  if (whole !== null && whole.data !== null) return whole;
  const repaired = repairYaml(text, path);
  if (repaired !== null) {
    const again = readYaml(repaired.text, path);
    const repairedValue = again.value ?? null;
    if (isLeafTemplate(repaired.text, repairedValue)) {
      const diagnostics = [...repaired.warnings, ...again.diagnostics];
      return readLeaves({
        ...again,
        path,
        text: repaired.text,
        files,
        value: repairedValue,
        diagnostics,
      });
    }
  }
  // Without a statement, the braces are probably not a template, so the YAML's errors are reported.
  const isTemplated = scanTemplate(text).some(({ kind }) => kind === "statement");
  const found = whole !== null && isTemplated ? whole.diagnostics : yaml.diagnostics;
  const diagnostics = [...explainBlocks(text, path), ...explainQuotes(text, found), ...found];
  const template: RecipeTemplate = { text, kind: "leaves", files, literals: [] };
  const { positionOf, writtenOf } = yaml;
  return { template, data: null, keys: [], positionOf, writtenOf, names: [], diagnostics };
}

async function readWhole(
  path: string,
  text: string,
  files: RecipeTemplate["files"],
): Promise<RecipeDocument> {
  const literals = await findLiterals([text]);
  const template: RecipeTemplate = { text, kind: "whole", files, literals };
  const { names } = findReferences(text, literals);
  const used = [...names, ...files.flatMap((file) => findReferences(file.text).names)];
  const { data, positionOf, writtenOf, diagnostics } = await previewWhole(
    { path, template },
    used.map(({ name }) => name),
  );
  return { template, ...unwrapRecipe(data), positionOf, writtenOf, names, diagnostics };
}

/** Statements that define names for the rest of a file. A text that is filled separately would not see those names. */
const definition = /^\s*(set|macro|import|from|extends|block)\b/;

/** Reports whether all template code of a file is inside its texts, so that each text can be filled separately. */
function isLeafTemplate(text: string, value: JsonValue): boolean {
  if (value === null) return false;
  if (!isTemplate(text)) return true;
  const leaves = textsIn(value);
  const inTexts = leaves.reduce((sum, leaf) => sum + countMarks(leaf), 0);
  const withoutComments = text.replace(/^[ \t]*#.*$/gm, "");
  if (inTexts < countMarks(withoutComments)) return false;
  const templates = leaves.filter(isTemplate);
  const areShared = templates.some((leaf) =>
    scanTemplate(leaf).some(({ kind, inner }) => kind === "statement" && definition.test(inner)),
  );
  return templates.length <= 1 || !areShared;
}

interface LeafDocument {
  path: string;
  text: string;
  files: RecipeTemplate["files"];
  value: JsonValue;
  positionOf: PositionFinder;
  writtenOf: YamlReading["writtenOf"];
  diagnostics: Diagnostic[];
}

async function readLeaves(document: LeafDocument): Promise<RecipeDocument> {
  const { path, text, files, value, positionOf, writtenOf, diagnostics } = document;
  const all = textsIn(value).filter(isTemplate);
  const literals = await findLiterals(all);
  const template: RecipeTemplate = { text, kind: "leaves", files, literals };
  const leaves = findLeaves(value);
  const outcomes = await performTemplates({
    task: "check",
    files,
    templates: leaves.map((leaf) => literalExpressions(leaf.text, literals)),
    values: {},
    isStrict: false,
    mark: "",
  });
  const problems = leaves.flatMap((leaf, index) => {
    const problem = outcomes[index]?.problem;
    if (problem === undefined) return [];
    const line = lineInLeaf(text, positionOf(...leaf.keys).line, problem.line);
    return [templateProblem({ path, template }, problem, line)];
  });
  const names = leaves.flatMap((leaf) =>
    findReferences(leaf.text, literals).names.map(({ name }) => ({
      name,
      at: findName(text, name, positionOf(...leaf.keys).line),
    })),
  );
  const declared = namesOutside(
    all,
    leaves.map((leaf) => leaf.text),
    literals,
  );
  return {
    template,
    ...unwrapRecipe(value),
    positionOf,
    writtenOf,
    names: [...names, ...declared.map((name) => ({ name, at: findName(text, name, 1) }))],
    diagnostics: [...diagnostics, ...problems],
  };
}

/** Returns the names in texts that are not filled, such as a parameter's description. They count as used. */
function namesOutside(
  all: readonly string[],
  filled: readonly string[],
  literals: readonly string[],
): string[] {
  const rest = all.filter((text) => !filled.includes(text));
  return rest.flatMap((text) => findReferences(text, literals).names.map(({ name }) => name));
}

/** Finds a name at or after a line. Its offset in a quoted text differs from its offset in the file. */
function findName(text: string, name: string, line: number): number {
  const start = text
    .split("\n")
    .slice(0, line - 1)
    .join("\n").length;
  const use = new RegExp(`(?<![\\p{L}\\p{N}_.])${name}(?![\\p{L}\\p{N}_])`, "gu");
  const opening = Math.max(0, text.indexOf("{", start));
  use.lastIndex = opening;
  return use.exec(text)?.index ?? start;
}

/** Returns the recipe in a document. Files of goose Desktop have it under `recipe`, beside their own fields. */
export function unwrapRecipe(value: JsonValue | null): Pick<RecipeDocument, "data" | "keys"> {
  if (!isRecord(value)) return { data: null, keys: [] };
  const { recipe } = value;
  return isRecord(recipe) ? { data: recipe, keys: ["recipe"] } : { data: value, keys: [] };
}
