import type { z } from "zod";
import { findModelProblem } from "../../model/model-object.ts";
import { maxFallbacks } from "../../run/fallback/model-change.ts";
import { checked } from "./field.ts";

/** A model as an object. */
export const modelObjectField: z.ZodType = checked(findModelProblem);

/** A model reference, or a model as an object. */
export const modelField: z.ZodType = checked(findReferenceProblem);

/** The models that take over. */
export const fallbacksField: z.ZodType = checked(findFallbacksProblem);

/** Returns the problem of a value that should be a model reference or a model as an object; `null` = none. */
export function findReferenceProblem(value: unknown): string | null {
  if (typeof value === "string") {
    return value.trim() === "" ? "expected `provider:model` or an alias, got an empty text" : null;
  }
  const problem = findModelProblem(value);
  return problem?.replace("expected ", "expected `provider:model`, an alias, or ") ?? null;
}

/** Returns the problem of a value that should be a list of fallbacks; `null` = none. */
export function findFallbacksProblem(value: unknown): string | null {
  if (!Array.isArray(value) || value.length > maxFallbacks) {
    return `expected at most ${maxFallbacks} models such as \`["openai:gpt-5"]\``;
  }
  return value.map(findReferenceProblem).find((one) => one !== null) ?? null;
}
