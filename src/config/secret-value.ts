import type { z } from "zod";
import { describeGiven, explainIssueWith } from "../source/explain-issue.ts";

/** Types of which no value is a secret. People write a secret itself where its variable, or any other text, is expected. */
const publicTypes: ReadonlySet<unknown> = new Set(["number", "int", "boolean"]);

/** Explains a wrong value of the configuration. Names only the type of a value that may be a secret. */
export function explainSetting(issue: z.core.$ZodRawIssue): string | undefined {
  return explainIssueWith(issue, isPublic(issue) ? describeGiven : describeSecret);
}

/** Reports whether the value may be repeated: in place of a number, a flag or one of several words, and never in place of a text. */
function isPublic(issue: z.core.$ZodRawIssue): boolean {
  if (issue.code === "invalid_type") return publicTypes.has(issue.expected);
  if (issue.code === "too_small" || issue.code === "too_big") return issue.origin !== "string";
  return issue.code === "invalid_value";
}

/** The error of a setting's own check: the message states what was expected, and only the type of what came. */
export function expecting(expected: string): ReturnType<typeof expectingAs> {
  return expectingAs(expected, describeSecret);
}

/** Does the same for a text that is never a secret, and repeats what came. */
export function expectingPublic(expected: string): ReturnType<typeof expectingAs> {
  return expectingAs(expected, describeGiven);
}

function expectingAs(
  expected: string,
  describe: (issue: z.core.$ZodRawIssue) => string,
): { error: (issue: z.core.$ZodRawIssue) => string } {
  return {
    error: (issue) =>
      issue.code === "invalid_type"
        ? (explainSetting(issue) ?? `expected ${expected}`)
        : `expected ${expected}, got ${describe(issue)}`,
  };
}

function describeSecret({ input }: z.core.$ZodRawIssue): string {
  if (input === null) return "null";
  if (input === "") return "an empty text";
  if (typeof input === "string") return "a text, which is not shown";
  if (Array.isArray(input)) return "a list";
  return typeof input === "object" ? "a map" : `a ${typeof input}`;
}
