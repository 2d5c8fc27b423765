import { z } from "zod";
import { didYouMean } from "../../source/nearest.ts";

/** A value that `isRight` accepts. The message about any other value states what was `expected` and what came. */
export function field(expected: string, isRight: (value: unknown) => boolean): z.ZodType {
  return z.unknown().superRefine((value, context) => {
    if (isRight(value)) return;
    const message = `expected ${expected}, got ${showValue(value)}`;
    context.addIssue({ code: "custom", message });
  });
}

/** A value that `problemOf` accepts; `null` = valid. */
export function checked(problemOf: (value: unknown) => string | null): z.ZodType {
  return z.unknown().superRefine((value, context) => {
    const message = problemOf(value);
    if (message !== null) context.addIssue({ code: "custom", message });
  });
}

/** A non-empty string. */
export const nonEmptyText: z.ZodType = field(
  "text",
  (value) => typeof value === "string" && value.trim() !== "",
);

/** `true` or `false`. */
export const flag: z.ZodType = field("true or false", (value) => typeof value === "boolean");

/** A function. */
export const callback: z.ZodType = field("a function", (value) => typeof value === "function");

/** A number within bounds. */
export function number(expected: string, min: number, max: number = Infinity): z.ZodType {
  return field(expected, (value) => typeof value === "number" && value >= min && value <= max);
}

/** A whole number of at least `min`. */
export function count(min: number): z.ZodType {
  return field(
    `a whole number of at least ${min}`,
    (value) => Number.isSafeInteger(value) && Number(value) >= min,
  );
}

/** One of several words; the message suggests the nearest. */
export function oneOf(words: readonly string[]): z.ZodType {
  return z.unknown().superRefine((value, context) => {
    if (words.some((word) => word === value)) return;
    const hint = typeof value === "string" ? `.${didYouMean(value, words)}` : "";
    const message = `expected one of ${words.join(", ")}; got ${showValue(value)}${hint}`;
    context.addIssue({ code: "custom", message });
  });
}

/** A list whose items `item` accepts. `expected` names the items, such as "names of agents". */
export function listField(item: z.ZodType, expected: string): z.ZodType {
  return field(`a list of ${expected}`, Array.isArray).pipe(z.array(item));
}

/** Shows a value on one line. Objects are only named, because they may be circular. */
export function showValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object") return "an object";
  if (typeof value !== "string")
    return typeof value === "function" ? "a function" : `${value as number}`;
  const json = JSON.stringify(value);
  return json.length > 80 ? `${json.slice(0, 79).toWellFormed()}…` : json;
}

/** Lists the issues of an error, one a line. */
export function listIssues({ issues }: z.ZodError): string {
  return issues
    .map(({ path, message }) => `\n- ${path.length === 0 ? "" : `${path.join(".")}: `}${message}`)
    .join("");
}
