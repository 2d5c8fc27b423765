import type { z } from "zod";
import { describeGiven, explainIssueWith } from "../source/explain-issue.ts";

/** The keys of settings whose values may be, or contain, secrets. */
const secretKeys: ReadonlySet<unknown> = new Set([
  "apiKeyEnv",
  "args",
  "baseUrl",
  "environment",
  "environmentKeys",
  "headers",
  "secretEnv",
  "url",
]);

/** Explains a wrong value of the configuration. Names only the type of a value that may be a secret. */
export function explainSetting(issue: z.core.$ZodRawIssue): string | undefined {
  return explainIssueWith(issue, describeSetting);
}

/**
 * The error of a setting's own check: the message states what was expected and what came. Names only the type of a value that may
 * be a secret.
 */
export function expecting(expected: string): { error: (issue: z.core.$ZodRawIssue) => string } {
  return {
    error: (issue) =>
      issue.code === "invalid_type"
        ? (explainSetting(issue) ?? `expected ${expected}`)
        : `expected ${expected}, got ${describeSetting(issue)}`,
  };
}

function describeSetting(issue: z.core.$ZodRawIssue): string {
  const mayBeSecret = (issue.path ?? []).some((key) => secretKeys.has(key));
  return mayBeSecret ? nameType(issue.input) : describeGiven(issue);
}

function nameType(value: unknown): string {
  if (value === null) return "null";
  if (value === "") return "an empty text";
  if (typeof value === "string") return "another text, which is not shown";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "a map" : `a ${typeof value}`;
}
