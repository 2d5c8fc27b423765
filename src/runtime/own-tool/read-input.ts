import type { z } from "zod";
import { schemaProblem } from "../../extension/server/list-tools.ts";
import { isRecord, type JsonObject } from "../../source/json.ts";
import { compileSchema } from "../../source/schema/json-schema.ts";
import { toInputSchema } from "../../tool/tool.ts";
import { errorMessage } from "../../error-message.ts";

/** Checked arguments: the value that the tool gets, or a line for each problem. */
export type CheckedInput = { value: unknown } | { problems: readonly string[] };

/** The input of a tool: its schema for the model, and the check of its arguments. */
export interface ToolInput {
  inputSchema: JsonObject;
  check(input: unknown): CheckedInput | Promise<CheckedInput>;
}

/**
 * Reads the schema of a tool's input: zod 4, any Standard Schema, a JSON Schema, or a schema of the AI SDK.
 *
 * @throws Error that says why JSON Schema cannot express it.
 */
export async function readInput(schema: unknown): Promise<ToolInput> {
  const input = await readAny(schema);
  const problem = schemaProblem(input.inputSchema);
  if (problem === null) return input;
  throw new Error(`it ${problem}. Describe an object whose fields are the arguments`);
}

async function readAny(schema: unknown): Promise<ToolInput> {
  if (schema === undefined) return readJsonSchema({ type: "object", properties: {} });
  if (isStandard(schema)) return readStandard(schema);
  // The AI SDK's lazy schemas are functions.
  if (typeof schema === "function") return await readAny(schema());
  if (!isRecord(schema)) {
    throw new Error("expected a zod 4 schema, another Standard Schema, or a JSON Schema");
  }
  if ("jsonSchema" in schema && "validate" in schema) return await readSdkSchema(schema);
  return readJsonSchema(schema);
}

function readJsonSchema(schema: Record<string, unknown>): ToolInput {
  const compiled = compileSchema(schema);
  if ("problem" in compiled) throw new Error(compiled.problem);
  return {
    inputSchema: toJsonObject(schema),
    check(value) {
      const problems = compiled.check(value);
      return problems.length === 0 ? { value } : { problems };
    },
  };
}

/** Reads the result of `jsonSchema()` or `zodSchema()` of the AI SDK. */
async function readSdkSchema({
  jsonSchema,
  validate,
}: Record<string, unknown>): Promise<ToolInput> {
  const schema: unknown = await jsonSchema;
  if (!isRecord(schema)) throw new Error("expected its `jsonSchema` to be a JSON Schema");
  if (typeof validate !== "function") return readJsonSchema(schema);
  const read = (verdict: unknown): CheckedInput => {
    if (isRecord(verdict) && verdict["success"] === true) return { value: verdict["value"] };
    const error = isRecord(verdict) ? verdict["error"] : verdict;
    return { problems: [`arguments: ${errorMessage(error)}`] };
  };
  return {
    inputSchema: toJsonObject(schema),
    check(value) {
      const verdict: unknown = validate(value);
      return whenKnown(verdict, read);
    },
  };
}

/** Reads a verdict, at once or when its promise is fulfilled. */
function whenKnown(
  verdict: unknown,
  read: (verdict: unknown) => CheckedInput,
): CheckedInput | Promise<CheckedInput> {
  const isPromised = isRecord(verdict) && typeof verdict["then"] === "function";
  return isPromised ? Promise.resolve<unknown>(verdict).then(read) : read(verdict);
}

/** A Standard Schema: an object, or a function as in ArkType. */
type Standard = { "~standard": Record<string, unknown> };

function isStandard(schema: unknown): schema is Standard {
  const isObject = typeof schema === "function" || isRecord(schema);
  return isObject && "~standard" in schema && isRecord(schema["~standard"]);
}

function readStandard(schema: Standard): ToolInput {
  const { validate, jsonSchema, vendor } = schema["~standard"];
  if (typeof validate !== "function") throw new Error("its `~standard.validate` is not a function");
  return {
    inputSchema: isZod(schema) ? toInputSchema(schema) : convert(jsonSchema, vendor),
    check(value) {
      const verdict: unknown = validate(value);
      return whenKnown(verdict, readVerdict);
    },
  };
}

function isZod(schema: object): schema is z.core.$ZodType {
  return "_zod" in schema;
}

/** Converts a schema with its own library. */
function convert(jsonSchema: unknown, vendor: unknown): JsonObject {
  if (isRecord(jsonSchema) && typeof jsonSchema["input"] === "function") {
    const { $schema: _, ...schema } = toJsonObject(
      jsonSchema["input"]({ target: "draft-2020-12" }),
    );
    return schema;
  }
  if (vendor === "zod") throw new Error("it is a schema of zod 3; write it with zod 4");
  throw new Error(
    `the schema library ${String(vendor)} does not convert it to JSON Schema. Wrap it with the library's converter to Standard JSON Schema (such as toStandardJsonSchema of Valibot), or pass a JSON Schema`,
  );
}

function readVerdict(verdict: unknown): CheckedInput {
  if (!isRecord(verdict)) return { problems: ["arguments: the schema gave no verdict"] };
  const { issues } = verdict;
  if (issues === undefined || issues === null) return { value: verdict["value"] };
  if (!Array.isArray(issues)) return { problems: ["arguments: the schema refused them"] };
  return { problems: issues.map(describeIssue) };
}

function describeIssue(issue: unknown): string {
  const { path, message } = isRecord(issue) ? issue : { message: issue, path: [] };
  const keys = Array.isArray(path) ? path : [];
  const names = keys.map((key: unknown) => String(isRecord(key) ? key["key"] : key));
  return `${names.join(".") || "arguments"}: ${String(message)}`;
}

/** Copies a schema as JSON, so that later changes of the object have no effect. */
function toJsonObject(schema: unknown): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(schema) ?? "null");
  if (isRecord(copy)) return copy as JsonObject;
  throw new Error("its converter returned an invalid JSON Schema");
}
