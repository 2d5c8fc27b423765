import { randomInt } from "node:crypto";
import type { JsonValue } from "../../source/json.ts";
import { isRecord } from "../../source/json.ts";
import { scanTemplate, type TemplatePart } from "./scan-template.ts";

/**
 * The characters around a token. A recipe of kind `whole` is filled with tokens, and the values replace them after the YAML is
 * parsed, so that a value cannot change the structure of the recipe.
 */
const open = "\uE000";
const close = "\uE001";

/** Creates a random mark that values cannot contain by chance. It uses digits, which no filter changes. */
export function createMark(): string {
  return `${open}${randomInt(2 ** 47)}.`;
}

/** Returns the token of the held value with a number. */
export function tokenOf(mark: string, number: number): string {
  return `${mark}${number}${close}`;
}

/** Replaces all tokens of a text by the same character, to compare lines. */
export function withoutTokens(text: string): string {
  return text.replace(/\uE000[^\uE001]*\uE001/g, open);
}

/** Rewrites a template so that each expression produces a token instead of its value, except for calls of its own macros. */
export function holdExpressions(template: string): string {
  return replaceExpressions(template, ({ start, end }) => {
    const written = template.slice(start, end);
    const before = written.startsWith("{{-") ? "-" : "";
    const after = written.endsWith("-}}") ? "-" : "";
    const plain = written.replace(/^\{\{[-+]/, "{{").replace(/[-+]\}\}$/, "}}");
    return `{%${before} filter hold %}${plain}{% endfilter ${after}%}`;
  });
}

/** Replaces each expression of a template by a token, and adds the expression as written to `held`. */
export function maskExpressions(template: string, mark: string, held: string[]): string {
  return replaceExpressions(template, ({ start, end }) =>
    tokenOf(mark, held.push(template.slice(start, end)) - 1),
  );
}

function replaceExpressions(template: string, replace: (part: TemplatePart) => string): string {
  const parts = scanTemplate(template);
  const own = ownNames(parts);
  return parts
    .map((part) =>
      part.kind === "expression" && !isOwnCall(part, own)
        ? replace(part)
        : template.slice(part.start, part.end),
    )
    .join("");
}

/** Returns the names whose calls produce text of the template itself, which may contain structure. */
function ownNames(parts: readonly TemplatePart[]): Set<string> {
  const names = new Set(["super", "self", "caller"]);
  for (const { kind, inner } of parts) {
    if (kind !== "statement") continue;
    const [, macro] = /^\s*macro\s+(\w+)/.exec(inner) ?? [];
    const [, imported] = /^\s*(?:import\b.*\bas|from\b.*?\bimport)\b(.*)$/s.exec(inner) ?? [];
    for (const name of [macro ?? "", ...(imported ?? "").split(/\W+/)]) names.add(name);
  }
  return names;
}

function isOwnCall({ inner }: TemplatePart, own: ReadonlySet<string>): boolean {
  const [, name] = /^\s*(\w+)[\w.]*\s*\(.*\)\s*$/s.exec(inner) ?? [];
  return name !== undefined && own.has(name);
}

/** Replaces tokens by the held texts, including tokens in keys. */
export function releaseValues(value: JsonValue, mark: string, held: readonly string[]): JsonValue {
  if (typeof value === "string") return releaseText(value, mark, held);
  if (Array.isArray(value)) return value.map((item) => releaseValues(item, mark, held));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      releaseText(key, mark, held),
      releaseValues(item, mark, held),
    ]),
  );
}

/** Replaces the tokens of a text. A held text may contain tokens of texts held before it. */
function releaseText(text: string, mark: string, held: readonly string[]): string {
  if (!text.includes(mark)) return text;
  return text
    .split(mark)
    .map((piece, index) => {
      if (index === 0) return piece;
      const end = piece.indexOf(close);
      const number = Number(piece.slice(0, end));
      return releaseText(held[number] ?? "", mark, held.slice(0, number)) + piece.slice(end + 1);
    })
    .join("");
}
