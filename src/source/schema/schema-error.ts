import type { ErrorObject } from "ajv";
import { isRecord } from "../json.ts";

/** The maximum number of problems listed. */
const maxShown = 20;
const maxValueLength = 80;
const maxChoicesLength = 500;

/** Describes validation errors, with a line for each: the path, and the expected and given values. */
export function describeErrors(errors: readonly ErrorObject[]): string[] {
  // The errors inside `if` are reported separately.
  const own = errors.filter(({ keyword }) => keyword !== "if");
  const lines = [...new Set(joinAlternatives(own).map(describeError))];
  const hidden = lines.length - maxShown;
  return hidden > 0 ? [...lines.slice(0, maxShown), `… and ${hidden} more`] : lines;
}

/** Errors about one value that none of several alternatives accepts. */
interface Alternatives {
  union: ErrorObject;
  inner: readonly ErrorObject[];
}

/**
 * Joins the errors of the alternatives of a union with the union's own error, which follows them, when each alternative only
 * expects another value or type.
 */
function joinAlternatives(errors: readonly ErrorObject[]): (ErrorObject | Alternatives)[] {
  const joined: (ErrorObject | Alternatives)[] = [];
  for (const error of errors) {
    const count = isUnion(error) && Array.isArray(error.schema) ? error.schema.length : 0;
    const inner = count === 0 ? [] : joined.slice(-count).filter((one) => "keyword" in one);
    const areChoices = inner.every((one) => isChoice(one, error));
    if (count === 0 || inner.length < count || !areChoices) joined.push(error);
    else joined.splice(-count, count, { union: error, inner });
  }
  return joined;
}

function isUnion({ keyword }: ErrorObject): boolean {
  return keyword === "anyOf" || keyword === "oneOf";
}

function isChoice({ keyword, instancePath }: ErrorObject, union: ErrorObject): boolean {
  return ["type", "enum", "const"].includes(keyword) && instancePath === union.instancePath;
}

function expectationOf({ keyword, params, schema }: ErrorObject): string {
  return keyword === "type"
    ? choices((params as Record<string, unknown>)["type"])
    : choices(schema, asJson);
}

function describeError(error: ErrorObject | Alternatives): string {
  if ("union" in error) {
    const { instancePath, data } = error.union;
    const expected = [...new Set(error.inner.map(expectationOf))].join(" or ");
    return `${positionOf(instancePath)}: expected ${expected}, got ${valueOf(data)}`;
  }
  const { keyword, instancePath, data, schema, message = "is not valid" } = error;
  const params = error.params as Record<string, unknown>;
  const problem = (path: string, expected: string): string => `${positionOf(path)}: ${expected}`;
  switch (keyword) {
    case "type":
    case "enum":
    case "const":
      return problem(instancePath, `expected ${expectationOf(error)}, got ${valueOf(data)}`);
    case "required":
      return problem(
        `${instancePath}/${keyOf(params["missingProperty"])}`,
        "expected a value, got nothing",
      );
    case "additionalProperties":
    case "unevaluatedProperties": {
      const key = String(params["additionalProperty"] ?? params["unevaluatedProperty"]);
      const got = valueOf(isRecord(data) ? data[key] : data);
      return problem(`${instancePath}/${keyOf(key)}`, `expected no such key, got ${got}`);
    }
    case "not":
      return problem(instancePath, `${describeExcluded(schema) ?? message}, got ${valueOf(data)}`);
    default:
      return problem(instancePath, `${message}, got ${valueOf(data)}`);
  }
}

function describeExcluded(schema: unknown): string | undefined {
  if (isRecord(schema) && Object.keys(schema).length === 0) return "expected no such key";
  const excluded = isRecord(schema) ? schema["enum"] : undefined;
  return Array.isArray(excluded) ? `expected anything but ${choices(excluded, asJson)}` : undefined;
}

/** Lists choices. They may be longer than other values, because the user needs them to correct the value. */
function choices(value: unknown, show: (item: unknown) => string = String): string {
  return cut([value].flat().map(show).join(" or "), maxChoicesLength);
}

function asJson(value: unknown): string {
  return cut(JSON.stringify(value), maxValueLength);
}

/** Converts the JSON pointer `/a/0/b` to `a[0].b`. */
function positionOf(pointer: string): string {
  const keys = pointer.split("/").slice(1);
  const place = keys
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key}`))
    .join("");
  return place.replace(/^\./, "") || "the value";
}

function keyOf(key: unknown): string {
  return String(key).replaceAll("~", "~0").replaceAll("/", "~1");
}

function valueOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (isRecord(value)) return "an object";
  return asJson(value);
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}
