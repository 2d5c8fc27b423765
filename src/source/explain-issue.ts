import type { z } from "zod";

/** The maximum number of characters of a refused text that a message repeats. */
const mostCharacters = 40;

/**
 * Returns the message for a value of the wrong type or out of range: the expected and the given value. Pass it as `error` to
 * `safeParse`. The schema's own messages take precedence, and other problems keep zod's message.
 */
export function explainIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === "too_small" || issue.code === "too_big") return explainRange(issue);
  if (issue.code === "invalid_union") return explainUnion(issue);
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

function explainRange(
  issue: Extract<z.core.$ZodRawIssue, { code: "too_small" | "too_big" }>,
): string | undefined {
  const { origin, inclusive = true, input } = issue;
  const [limit, over, reached] =
    issue.code === "too_small"
      ? [issue.minimum, "above", "at least"]
      : [issue.maximum, "below", "at most"];
  if (origin === "number" || origin === "int") {
    const bound = inclusive ? `of ${reached} ${limit}` : `${over} ${limit}`;
    return `expected a number ${bound}, got ${describe(input)}`;
  }
  if (!inclusive) return undefined;
  if (origin === "string") {
    if (input === "" && Number(limit) === 1) return "expected text, got an empty text";
    return `expected text of ${reached} ${limit} characters, got ${describe(input)}`;
  }
  if (!Array.isArray(input)) return undefined;
  return `expected a list of ${reached} ${limit}, got one of ${input.length}`;
}

/** Returns the expected value of each alternative, or the problem within the alternative that matches the kind of the value. */
function explainUnion({
  errors,
  input,
}: Extract<z.core.$ZodRawIssue, { code: "invalid_union" }>): string | undefined {
  const inner = errors.flat().find(({ path }) => path.length > 0);
  if (inner !== undefined) return `${inner.path.join(".")}: ${inner.message}`;
  const expected = errors.map(([first]) => /^expected (.*), got /s.exec(first?.message ?? "")?.[1]);
  if (expected.length === 0 || expected.includes(undefined)) return undefined;
  return `expected ${expected.join(" or ")}, got ${describe(input)}`;
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
