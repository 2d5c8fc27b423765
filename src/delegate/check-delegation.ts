import { z } from "zod";
import { CadreError } from "../errors.ts";
import { budgetSchema } from "../run/budget.ts";
import type { Delegation } from "../run/delegation.ts";
import { closedObject } from "../source/closed-object.ts";
import { findJsonProblems } from "../source/json-problem.ts";
import { checkSchema } from "../source/json-schema.ts";
import { didYouMean } from "../source/nearest.ts";
import { isRecord, type JsonObject, type JsonValue } from "../source/json.ts";
import { toPlainValue } from "../source/plain-value.ts";
import { isFileModel } from "./choose-model.ts";
import type { Assignment } from "./delegation.ts";
import { checkOwnContext } from "./shared-context.ts";

/** The longest timeout there may be, in seconds: a day. */
export const maxTimeoutSeconds = 86_400;

/** A name for a run: on one line, and not so long that lists of them cannot be read. */
export const labelSchema: z.ZodType<string> = z
  .string()
  .min(1)
  .max(100)
  // No pattern: this is also part of what tools tell models of their arguments.
  .refine(
    (label) => label.trim() === label && !/[\p{Cc}\u2028\u2029]/u.test(label),
    "a label on one line is expected, without spaces around it",
  );

/** What must have ended before a run begins. */
export const dependsOnSchema: z.ZodType<string | string[]> = z.union([
  z.string().min(1),
  z.array(z.string().min(1)).max(1000),
]);

/** A model as tools take it: one of a file reads or writes that, so only people choose it. */
export const modelSchema: z.ZodType<string> = z
  .string()
  .min(1)
  .refine(
    (model) => !isFileModel(model),
    "a provider's model is expected; only people choose one of a file",
  );

/** How often a run may try again. */
export const retriesSchema: z.ZodType<number> = z.int().min(0).max(100);

/** The most seconds of running time there may be: a day. */
export const timeoutSchema: z.ZodType<number> = z.number().positive().max(maxTimeoutSeconds);

/** An object that JSON can say. */
const jsonObject = (check: (value: JsonObject) => readonly string[]): z.ZodType<JsonObject> =>
  z.custom<JsonObject>(isRecord, "an object is expected").check(({ value, issues }) => {
    if (!isRecord(value)) return;
    const problems = findJsonProblems(value);
    const found = problems.length > 0 ? problems : check(value);
    for (const message of found) issues.push({ code: "custom", input: value, message });
  });

/** The most of an input, in characters of JSON. */
const maxInputCharacters = 4 * 1024 * 1024;

/** What JSON can say, as far as `schema` takes it. */
const json = <Value extends JsonValue>(schema: z.ZodType<Value>, name: string): z.ZodType<Value> =>
  schema.check(({ value, issues }) => {
    const plain = toPlainValue(value, maxInputCharacters, name);
    if ("value" in plain) return;
    const message = `JSON is expected; got ${plain.problem}`;
    issues.push({ code: "custom", input: value, message });
  });

const schemaProblems = (schema: JsonObject): readonly string[] => {
  const problem = checkSchema(schema);
  return problem === undefined ? [] : [problem];
};

const image = closedObject({
  data: z.string().optional(),
  path: z.string().optional(),
  mediaType: z.string().optional(),
});

const task = z.string().regex(/\S/, "a task is expected, got nothing");

/** The fields of a {@link Delegation} but the agent, which a recipe or an ad hoc agent stands for itself. */
const fields = {
  label: labelSchema.optional(),
  model: z.string().min(1).optional(),
  temperature: z.number().min(0).max(2).optional(),
  timeoutSeconds: timeoutSchema.optional(),
  dependsOn: dependsOnSchema.optional(),
  includeDependencyResult: z.boolean().optional(),
  onDependencyError: z.enum(["fail", "run"]).optional(),
  sharedContext: jsonObject(checkOwnContext).optional(),
  background: z.boolean().optional(),
  detach: z.boolean().optional(),
  retries: retriesSchema.optional(),
  budget: budgetSchema.optional(),
  outputSchema: jsonObject(schemaProblems).optional(),
  summary: z.boolean().optional(),
  images: z.array(image).optional(),
  cache: z.boolean().optional(),
  extensions: z.array(z.string().min(1)).max(100).optional(),
};

const schemas = {
  delegation: closedObject({
    agent: z.string().min(1),
    task: task.optional(),
    parameters: jsonObject(() => []).optional(),
    input: json(z.any(), "input").optional(),
    inputs: json(z.array(z.any()), "inputs").optional(),
    ...fields,
  }),
  /** What is not asked for by strangers is not checked. */
  assignment: z.object({ task, ...fields }),
};

/** What is wrong with a part of a request. */
export interface DelegationProblem {
  path: readonly (string | number)[];
  message: string;
}

/** Everything that is wrong with a request for a run, which may be anything. */
export function findDelegationProblems(
  delegation: unknown,
  kind: "delegation" | "assignment",
): DelegationProblem[] {
  const issues = schemas[kind].safeParse(delegation).error?.issues ?? [];
  return issues.flatMap((issue): DelegationProblem[] => {
    const path = issue.path.map((key) => (typeof key === "number" ? key : String(key)));
    if (issue.code !== "unrecognized_keys" || path.length > 0) {
      return [{ path, message: issue.message }];
    }
    return issue.keys.map((key) => ({
      path: [key],
      message: `there is no such field.${didYouMean(key, delegationFields)}`,
    }));
  });
}

/** The names of the fields of a request. */
const delegationFields: readonly string[] = Object.keys(schemas.delegation.shape);

/**
 * Checks a request for a run; programs, scripts and models have no compiler that did it.
 *
 * @throws CadreError `invalid-argument` that names every field and what it should be.
 */
export function checkDelegation(
  delegation: Delegation | Assignment,
  kind: "delegation" | "assignment",
): void {
  const problems = findDelegationProblems(delegation, kind);
  if (problems.length === 0) return;
  const issues = problems.map(
    ({ path, message }) => `- ${path.join(".") || "the request"}: ${message}`,
  );
  const names = delegationFields.map((name) => (name === "agent" ? name : `${name}?`));
  const message = `Expected a request for a run as { ${names.join(", ")} }:\n${issues.join("\n")}`;
  throw new CadreError("invalid-argument", message);
}
