import type { JsonValue } from "../source/json.ts";
import { plainText } from "./parameter-value.ts";
import type { ParameterProblem } from "./parameter-values.ts";
import type { Recipe } from "./recipe.ts";
import { describeValue } from "./report.ts";
import { scanTemplate } from "./scan-template.ts";
import { findReferences } from "./template-names.ts";

/** What a shell takes for nothing but a part of a word, and in quotes with blanks: also the shell of a `sh -c "…"`. */
const plainWord = /^[\p{L}\p{N}_@%+=:,./-]*$/u;
const plainWords = /^[\p{L}\p{N}_@%+=:,./ -]*$/u;

/** An expression in a command. */
interface Insertion {
  command: string;
  names: string[];
  isQuoted: boolean;
}

/**
 * Refuses values that would be more than a part of a word in a shell command of the recipe's `retry`. A model may have
 * chosen them, and those commands run without asking.
 */
export function guardCommands(
  { retry, template, parameters }: Recipe,
  given: Readonly<Record<string, JsonValue>>,
): ParameterProblem[] {
  const commands = [...(retry?.checks ?? []).map(({ command }) => command), retry?.onFailure ?? ""];
  const declared = new Set(parameters.map(({ key }) => key));
  const problems = new Map<string, ParameterProblem>();
  for (const insertion of commands.flatMap((command) =>
    findInsertions(command, template.literals),
  )) {
    const { command, names, isQuoted } = insertion;
    // A name that the template defines itself may carry any of the values.
    const isDirect = names.every((name) => declared.has(name) || name === "recipe_dir");
    const pattern = isQuoted ? plainWords : plainWord;
    for (const key of isDirect ? names : declared) {
      const value = Object.hasOwn(given, key) ? given[key] : undefined;
      if (value === undefined || value === null || pattern.test(plainText(value))) continue;
      const message = `\`${key}\`: it becomes part of a shell command (\`${command}\`), so expected only letters, digits${isQuoted ? ", blanks" : ""} and _ @ % + = : , . / -, got ${describeValue(value)}.`;
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

/** The quote that is open behind a piece of a command, which begins inside of `quote`. */
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
