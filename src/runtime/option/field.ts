import { z } from "zod";
import { didYouMean } from "../../source/nearest.ts";

/** A value that `isRight` accepts; the message about another one says what was `expected` and what came. */
export function field(expected: string, isRight: (value: unknown) => boolean): z.ZodType {
  return z.unknown().superRefine((value, context) => {
    if (isRight(value)) return;
    const message = `expected ${expected}, got ${showValue(value)}`;
    context.addIssue({ code: "custom", message });
  });
}

/** A text that is not empty. */
export const text: z.ZodType = field(
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

/** One of some words; the message suggests the one that was meant. */
export function oneOf(words: readonly string[]): z.ZodType {
  return z.unknown().superRefine((value, context) => {
    if (words.some((word) => word === value)) return;
    const hint = typeof value === "string" ? `.${didYouMean(value, words)}` : "";
    const message = `expected one of ${words.join(", ")}; got ${showValue(value)}${hint}`;
    context.addIssue({ code: "custom", message });
  });
}

/** A list whose items `item` accepts; `expected` is what the list holds, such as "names of agents". */
export function listOf(item: z.ZodType, expected: string): z.ZodType {
  return field(`a list of ${expected}`, Array.isArray).pipe(z.array(item));
}

/** A value in a message, on one line. Objects may be anything, also circular, and are only named. */
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
