import type { z } from "zod";

/** The most characters of a refused text that a message repeats. */
const mostCharacters = 40;

/**
 * The message for a value of the wrong type or outside of its range: what was expected, and what came. Pass it as `error` to
 * `safeParse`; messages of the schema itself come first, and other problems keep zod's message.
 */
export function explainIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === "invalid_type") {
    if (issue.input === undefined) return `is missing, expected ${withArticle(issue.expected)}`;
    return `expected ${withArticle(issue.expected)}, got ${describe(issue.input)}`;
  }
  if (issue.code === "invalid_value") {
    const allowed = issue.values.map((value) => JSON.stringify(value) ?? String(value));
    return `expected ${allowed.join(", ").replace(/, ([^,]*)$/, " or $1")}, got ${describe(issue.input)}`;
  }
  return undefined;
}

function withArticle(expected: string): string {
  const type = expected === "string" ? "text" : expected === "array" ? "list" : expected;
  const known = { record: "an object", int: "a whole number", nonoptional: "a value" };
  if (Object.hasOwn(known, type)) return known[type as keyof typeof known];
  if (type === "text") return type;
  return `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`;
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
}
