import type { z } from "zod";
import { findModelProblem } from "../../model/model-object.ts";
import { checked } from "./field.ts";

/** A model as an object. */
export const modelObjectField: z.ZodType = checked(findModelProblem);

/** A model reference, or a model as an object. */
export const modelField: z.ZodType = checked((value) => {
  if (typeof value !== "string") {
    const problem = findModelProblem(value);
    return problem === null
      ? null
      : problem.replace("expected ", "expected `provider:model`, an alias, or ");
  }
  return value.trim() === "" ? "expected `provider:model` or an alias, got an empty text" : null;
});
