import type { Diagnostic } from "../../source/diagnostic.ts";
import { didYouMean } from "../../source/nearest.ts";
import { createLineIndex } from "../../source/position.ts";
import type { RecipeDocument } from "./read-document.ts";
import type { RecipeParameter } from "../recipe.ts";
import { findReferences, reservedWords } from "../template/template-names.ts";

/** The predefined name of the recipe's folder. */
export const recipeFolderName = "recipe_dir";

/** The used and the declared names. */
export interface NamesToCheck {
  path: string;
  document: RecipeDocument;
  /** The names used in included files. */
  included: ReadonlySet<string>;
  parameters: readonly RecipeParameter[];
}

/** Finds names that are used but not declared, and parameters that are declared but not used. Both are errors, as in goose. */
export function checkTemplateNames({
  path,
  document,
  included,
  parameters,
}: NamesToCheck): Diagnostic[] {
  const { template, names, positionOf, keys } = document;
  const declared = parameters.map(({ key }) => key);
  const used = new Set([...names.map(({ name }) => name), ...included]);
  const positionAt = createLineIndex(template.text);
  const missing = [...used].filter((name) => !declared.includes(name) && name !== recipeFolderName);
  const found = missing.map((name): Diagnostic => {
    const use = names.find((one) => one.name === name);
    const message = `\`${name}\` is used${use === undefined ? " in an included file" : " here"} but not declared under \`parameters\`.${didYouMean(name, declared)}`;
    const fix = `Declare it: \`- {key: ${name}, input_type: string, requirement: required, description: …}\`; or, as text: \`{% raw %}${bracesAt(template.text, use?.at, name)}{% endraw %}\``;
    const position = positionAt(use?.at ?? 0);
    return { path, ...position, severity: "error", code: "parameter-undeclared", message, fix };
  });
  // A name in a YAML comment counts as used, because goose fills comments too.
  for (const { name } of findReferences(template.text, template.literals).names) used.add(name);
  for (const [index, { key }] of parameters.entries()) {
    if (key === "" || used.has(key) || reservedWords.has(key)) continue;
    const message = `The parameter \`${key}\` is declared but not used anywhere in the recipe.${didYouMean(key, missing)}`;
    const fix = `Write \`{{ ${key} }}\` where its value belongs, or remove the parameter.`;
    const position = positionOf(...keys, "parameters", index);
    found.push({ path, ...position, severity: "error", code: "parameter-unused", message, fix });
  }
  return found;
}

/** Returns the braces around a use, as written. */
function bracesAt(text: string, at: number | undefined, name: string): string {
  const start = at === undefined ? -1 : text.lastIndexOf("{{", at);
  const end = text.indexOf("}}", at);
  const written = start === -1 || end === -1 ? "" : text.slice(start, end + 2);
  return written === "" || written.length > 80 || written.includes("\n")
    ? `{{ ${name} }}`
    : written;
}
