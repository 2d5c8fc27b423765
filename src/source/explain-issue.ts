import type { z } from "zod";

/** The maximum number of characters of a refused text that a message repeats. */
const maxCharacters = 40;

/**
 * Returns the message for a value of the wrong type or out of range: the expected and the given value. Pass it as `error` to
 * `safeParse`. The schema's own messages take precedence, and other problems keep zod's message.
 */
export function explainIssue(issue: z.core.$ZodRawIssue): string | undefined {
  return explainIssueWith(issue, describeGiven);
}

/** Describes the given value of an issue. */
export type DescribeGiven = (issue: z.core.$ZodRawIssue) => string;

/** Returns the message of {@link explainIssue} with the given value as `describeInput` describes it. */
export function explainIssueWith(
  issue: z.core.$ZodRawIssue,
  describeInput: DescribeGiven,
): string | undefined {
  const { input } = issue;
  if (issue.code === "invalid_union") {
    // The value has the type of one alternative, and the problem is inside it.
    const inner = issue.errors.flat().find(({ path }) => path.length > 0);
    if (inner !== undefined) return `${inner.path.join(".")}: ${inner.message}`;
  }
  const expected = expectationOf(issue);
  if (expected === undefined) return undefined;
  const isType = issue.code === "invalid_type" || issue.code === "invalid_union";
  if (isType && input === undefined) return `is missing, expected ${expected}`;
  return `expected ${expected}, got ${describeInput(issue)}`;
}

/** An issue that zod passes to `explainIssue`, or one of an alternative of a union, which has no input. */
type Issue = z.core.$ZodRawIssue | z.core.$ZodIssue;

/** Names the expected value, from the data of an issue; `undefined` for problems other than types, values and ranges. */
function expectationOf(issue: Issue): string | undefined {
  if (issue.code === "too_small" || issue.code === "too_big") return rangeOf(issue);
  if (issue.code === "invalid_type") return withArticle(issue.expected);
  if (issue.code === "invalid_value") {
    const allowed = issue.values.map((value) => JSON.stringify(value) ?? String(value));
    return allowed.join(", ").replace(/, ([^,]*)$/, " or $1");
  }
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return undefined;
  const alternatives = issue.errors.map(([first]) => first && expectationOf(first));
  return alternatives.includes(undefined) ? undefined : alternatives.join(" or ");
}

function rangeOf(issue: Extract<Issue, { code: "too_small" | "too_big" }>): string | undefined {
  const { origin, inclusive = true } = issue;
  const [limit, over, reached] =
    issue.code === "too_small"
      ? [issue.minimum, "above", "at least"]
      : [issue.maximum, "below", "at most"];
  if (origin === "number" || origin === "int")
    return `a number ${inclusive ? `of ${reached}` : over} ${limit}`;
  if (!inclusive) return undefined;
  if (origin === "string" && reached === "at least" && Number(limit) === 1) return "text";
  if (origin === "string") return `text of ${reached} ${limit} characters`;
  return origin === "array" ? `a list of ${reached} ${limit}` : undefined;
}

/** Describes the given value of an issue. A value out of range is described by its size. */
export function describeGiven({ code, input }: z.core.$ZodRawIssue): string {
  const isRange = code === "too_small" || code === "too_big";
  if (isRange && input === "") return "an empty text";
  return isRange && Array.isArray(input) ? `one of ${input.length}` : describe(input);
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
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
}
