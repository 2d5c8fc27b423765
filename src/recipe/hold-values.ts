import { randomInt } from "node:crypto";
import type { JsonValue } from "../source/json.ts";
import { isRecord } from "../source/json.ts";
import { scanTemplate, type TemplatePart } from "./scan-template.ts";

/**
 * A recipe that is YAML only once it is filled is filled with tokens where its values go; the values themselves replace
 * the tokens after the YAML was read. So a value cannot change what the recipe is made of, whatever is in it.
 */
const open = "\uE000";
const close = "\uE001";

/** A mark that nothing in the values can be mistaken for. Digits, so that no filter changes it. */
export function createMark(): string {
  return `${open}${randomInt(2 ** 47)}.`;
}

/** What stands for the held value of that number. */
export function tokenOf(mark: string, number: number): string {
  return `${mark}${number}${close}`;
}

/** A text with its tokens made alike, for comparing lines. */
export function withoutTokens(text: string): string {
  return text.replace(/\uE000[^\uE001]*\uE001/g, open);
}

/** Makes each expression of a template give a token instead of its value. Calls of the template's own macros stay. */
export function holdExpressions(template: string): string {
  return replaceExpressions(template, ({ start, end }) => {
    const written = template.slice(start, end);
    const before = written.startsWith("{{-") ? "-" : "";
    const after = written.endsWith("-}}") ? "-" : "";
    const plain = written.replace(/^\{\{[-+]/, "{{").replace(/[-+]\}\}$/, "}}");
    return `{%${before} filter hold %}${plain}{% endfilter ${after}%}`;
  });
}

/** Puts a token for each expression, and adds to `held` what it stands for: the expression as it is written. */
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

/** What gives text of the template itself, which may well be structure. */
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

/** Puts the held texts where their tokens are, in keys too. */
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

/** A held text has tokens of its own when it was put together by the template; those were held before it. */
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
