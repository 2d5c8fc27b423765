import type { JsonValue } from "../source/json.ts";
import { plainText } from "./parameter-value.ts";
import type { ParameterProblem } from "./parameter-values.ts";
import type { Recipe } from "./recipe.ts";
import { describeValue } from "./report.ts";
import { isTemplate } from "./scan-template.ts";
import { findReferences } from "./template-names.ts";

/** What a shell takes for nothing but a part of a word. */
const plainWord = /^[\p{L}\p{N}_@%+=:,./-]*$/u;

/**
 * Refuses values that would say more than one word in a shell command of the recipe's `retry`. A model may have chosen
 * them, and those commands run without asking.
 */
export function guardCommands(
  { retry, template, parameters }: Recipe,
  given: Readonly<Record<string, JsonValue>>,
): ParameterProblem[] {
  if (retry === undefined) return [];
  const texts = [...retry.checks.map(({ command }) => command), retry.onFailure ?? ""];
  const filled = texts.filter(isTemplate);
  if (filled.length === 0) return [];
  const named = filled.flatMap((text) => findReferences(text, template.literals).names);
  // In a whole template, another name may carry the value.
  const names =
    template.kind === "whole" ? parameters.map(({ key }) => key) : named.map(({ name }) => name);
  return [...new Set(names)].flatMap((key) => {
    const value = Object.hasOwn(given, key) ? given[key] : undefined;
    if (value === undefined || value === null || plainWord.test(plainText(value))) return [];
    const message = `\`${key}\`: it becomes part of a shell command (\`${filled[0]}\`), so expected only letters, digits and _ @ % + = : , . / -, got ${describeValue(value)}.`;
    return [{ key, kind: "command", message }];
  });
}
