import { describeValue } from "../../source/read-value.ts";
import { z } from "zod";
import { CadreError } from "../../errors.ts";
import { budgetSchema } from "../../run/limit/limit-schema.ts";
import { maxFallbacks } from "../../run/fallback/model-change.ts";
import { closedObject } from "../../source/closed-object.ts";
import { findJsonProblems } from "../../source/json-problem.ts";
import { checkSchema } from "../../source/schema/json-schema.ts";
import { didYouMean } from "../../source/nearest.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../source/json.ts";
import { toPlainValue } from "../../source/plain-value.ts";
import { agentSettingFields } from "./agent-settings.ts";
import { isFileModel } from "../settings/choose-model.ts";
import { checkOwnContext } from "../family/shared-context.ts";
import { explainIssue } from "../../source/explain-issue.ts";

/** The maximum timeout, in seconds: a day. */
export const maxTimeoutSeconds = 86_400;

/** A name for a run: a single line, short enough for lists. */
export const labelSchema: z.ZodType<string> = z
  .string()
  .min(1)
  .max(100)
  // No pattern, because the schema is also part of tool schemas.
  .refine((label) => label.trim() === label && !/[\p{Cc}\u2028\u2029]/u.test(label), {
    error: ({ input }) =>
      `expected a name on one line, without spaces around it, got ${JSON.stringify(input)}`,
  });

/** The runs that must end before a run starts. */
export const dependsOnSchema: z.ZodType<string | string[]> = z.union([
  z.string().min(1),
  z.array(z.string().min(1)).max(1000),
]);

/** A model in tool arguments. Only people may choose models that read or write files. */
export const modelSchema: z.ZodType<string> = z
  .string()
  .min(1)
  .refine((model) => !isFileModel(model), {
    error: ({ input }) =>
      `expected a model of a provider, got ${JSON.stringify(input)}, which is a file; only users may choose one`,
  });

/** The maximum number of retries of a run. */
export const retriesSchema: z.ZodType<number> = z.int().min(0).max(100);

/** The maximum running time, in seconds, at most a day. */
export const timeoutSchema: z.ZodType<number> = z.number().positive().max(maxTimeoutSeconds);

/** An object that JSON can represent. */
const jsonObject = (check: (value: JsonObject) => readonly string[]): z.ZodType<JsonObject> =>
  z
    .custom<JsonObject>(isRecord, {
      error: ({ input }) => `expected an object, got ${describeValue(input as JsonValue)}`,
    })
    .check(({ value, issues }) => {
      if (!isRecord(value)) return;
      const problems = findJsonProblems(value);
      const found = problems.length > 0 ? problems : check(value);
      for (const message of found) issues.push({ code: "custom", input: value, message });
    })
    // The content of the JSON Schema.
    .meta({ type: "object" });

/** The maximum size of an input, in characters of JSON. */
const maxInputCharacters = 4 * 1024 * 1024;

/** A JSON value that `schema` accepts. */
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

const task = z.string().regex(/\S/, "expected a task, got none");

/** The fields of a delegation except the agent, which a recipe or an ad hoc agent replaces. */
const fields = {
  label: labelSchema.optional(),
  model: z.string().min(1).optional(),
  fallbacks: z.array(z.string().min(1)).max(maxFallbacks).optional(),
  temperature: z.number().min(0).max(2).optional(),
  timeoutSeconds: timeoutSchema.optional(),
  dependsOn: dependsOnSchema.optional(),
  includeDependencyResult: z.boolean().optional(),
  onDependencyError: z.enum(["fail", "run"]).optional(),
  sharedContext: jsonObject(checkOwnContext).optional(),
  background: z.boolean().optional(),
  detach: z.boolean().optional(),
  team: z.boolean().optional(),
  retries: retriesSchema.optional(),
  budget: budgetSchema.optional(),
  outputSchema: jsonObject(schemaProblems).optional(),
  summary: z.boolean().optional(),
  images: z.array(image).optional(),
  cache: z.boolean().optional(),
  extensions: z.array(z.string().min(1)).max(100).optional(),
  ...agentSettingFields,
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
  /** Internal fields are not checked. */
  assignment: z.object({ task, ...fields }),
};

/** The fields of a request for a run, by name, for interfaces that take requests as data. */
export const delegationShape: Readonly<Record<string, z.ZodType>> = schemas.delegation.shape;

/** A problem of a request. */
export interface DelegationProblem {
  path: readonly (string | number)[];
  message: string;
}

/** Returns every problem of a request for a run. The request may be any value. */
export function findDelegationProblems(
  delegation: unknown,
  kind: "delegation" | "assignment",
): DelegationProblem[] {
  const issues = schemas[kind].safeParse(delegation, { error: explainIssue }).error?.issues ?? [];
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
 * Checks a request for a run, which may be any value from callers without a compiler: programs, scripts and models.
 *
 * @throws CadreError `invalid-argument` with every wrong field and the expected value.
 */
export function checkDelegation(delegation: unknown, kind: "delegation" | "assignment"): void {
  const problems = findDelegationProblems(delegation, kind);
  if (problems.length === 0) return;
  const issues = problems.map(
    ({ path, message }) =>
      `- ${path.join(".") || "the request"}: ${message.replaceAll("\n", "\n  ")}`,
  );
  const hasUnknown = problems.some(
    ({ path: [name] }) => name !== undefined && !delegationFields.includes(String(name)),
  );
  const known = hasUnknown ? `\nKnown fields: ${delegationFields.join(", ")}.` : "";
  const message = `The request for a run is not valid:\n${issues.join("\n")}${known}`;
  throw new CadreError("invalid-argument", message);
}
