import type { JsonValue } from "../../source/json.ts";
import { valueText } from "./parameter-value.ts";
import type { RecipeParameterProblem } from "./parameter-values.ts";
import type { Recipe } from "../recipe.ts";
import { describeValue } from "../../source/read-value.ts";
import { scanTemplate } from "../template/scan-template.ts";
import { findReferences } from "../template/template-names.ts";

/** Texts that every shell, including that of a nested `sh -c "…"`, reads as part of a word. In quotes they may contain spaces. */
const plainWord = /^[\p{L}\p{N}_@%+=:,./-]*$/u;
const plainWords = /^[\p{L}\p{N}_@%+=:,./ -]*$/u;

/** A template expression in a command. */
interface Insertion {
  command: string;
  names: string[];
  isQuoted: boolean;
}

/**
 * Refuses values that would become more than part of a word in a shell command of the recipe's `retry`. A model may have chosen
 * the values, and these commands run without approval.
 */
export function guardCommands(
  { retry, template, parameters }: Recipe,
  given: Readonly<Record<string, JsonValue>>,
): RecipeParameterProblem[] {
  const commands = [...(retry?.checks ?? []).map(({ command }) => command), retry?.onFailure ?? ""];
  const declared = new Set(parameters.map(({ key }) => key));
  const problems = new Map<string, RecipeParameterProblem>();
  for (const insertion of commands.flatMap((command) =>
    findInsertions(command, template.literals),
  )) {
    const { command, names, isQuoted } = insertion;
    // A name that the template itself defines may contain any of the values.
    const isDirect = names.every((name) => declared.has(name) || name === "recipe_dir");
    const pattern = isQuoted ? plainWords : plainWord;
    for (const key of isDirect ? names : declared) {
      const value = Object.hasOwn(given, key) ? given[key] : undefined;
      if (value === undefined || value === null || pattern.test(valueText(value))) continue;
      const message = `\`${key}\`: it becomes part of a shell command (\`${command}\`), so expected only letters, digits${isQuoted ? ", spaces" : ""} and _ @ % + = : , . / -, got ${describeValue(value)}.`;
      if (!problems.has(key)) problems.set(key, { key, kind: "command", message });
    }
  }
  return [...problems.values()];
}

function findInsertions(command: string, literals: readonly string[]): Insertion[] {
  let quote: string | null = null;
  const found: Insertion[] = [];
  for (const { kind, inner, start, end } of scanTemplate(command)) {
    if (kind === "text") quote = quoteAfter(inner, quote);
    if (kind !== "expression" || literals.includes(inner)) continue;
    const { names } = findReferences(command.slice(start, end));
    found.push({ command, names: names.map(({ name }) => name), isQuoted: quote !== null });
  }
  return found;
}

/** Returns the quote that is open at the end of a part of a command that starts inside `quote`. */
function quoteAfter(text: string, quote: string | null): string | null {
  let open = quote;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (character === "\\" && open !== "'") at += 1;
    else if (open === null && (character === '"' || character === "'")) open = character;
    else if (character === open) open = null;
  }
  return open;
}
