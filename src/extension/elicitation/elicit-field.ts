import { isRecord, type JsonObject } from "../../source/json.ts";
import { compileSchema } from "../../source/schema/json-schema.ts";
import { plainLine } from "../plain-text.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** The value of a field of a server's question. */
export type ElicitValue = string | number | boolean | string[];

/** A field of a server's question, for display in a form. Its texts come from the server: untrusted, one line each. */
export interface ElicitField {
  key: string;
  title: string;
  description: string;
  /** A description of the expected value, such as `a number`. */
  expected: string;
  isRequired: boolean;
  /** The value of an empty answer. */
  default?: ElicitValue;
  /** The allowed values; empty means any value. */
  choices: readonly ElicitChoice[];
  /** Parses a typed answer. Returns its value (absent for an empty answer) or the problem with it. */
  read: (answer: string) => { value?: ElicitValue } | { problem: string };
}

/** An allowed value of a field. */
export interface ElicitChoice {
  value: string;
  title: string;
}

/** Reads the fields from the schema of a server's question, in order. */
export function readElicitFields(schema: JsonObject): ElicitField[] {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(properties).flatMap(([key, property]) =>
    isRecord(property) ? [toField(key, property, required.includes(key))] : [],
  );
}

const maxTextLength = 500;

function toField(key: string, schema: JsonObject, isRequired: boolean): ElicitField {
  const choices = choicesOf(schema);
  const preset = toValue(schema["default"]);
  const lineOf = (name: string): string =>
    plainLine(typeof schema[name] === "string" ? schema[name] : "", maxTextLength);
  return {
    key,
    title: lineOf("title") || plainLine(key, maxTextLength),
    description: lineOf("description"),
    expected: describeType(schema),
    isRequired,
    ...omitUndefined({ default: preset }),
    choices,
    read(answer) {
      const text = answer.trim();
      if (text !== "") return checkValue(schema, parseAnswer(text, schema, choices));
      if (preset !== undefined) return { value: preset };
      return isRequired ? { problem: `expected ${describeType(schema)}, got nothing` } : {};
    },
  };
}

function toValue(value: unknown): ElicitValue | undefined {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return value;
  }
  const isTexts = Array.isArray(value) && value.every((item) => typeof item === "string");
  return isTexts ? value : undefined;
}

/** Returns the choices of a field or of the items of a list: `enum`, or `oneOf` and `anyOf` with titles. */
function choicesOf(schema: JsonObject): ElicitChoice[] {
  const from = isRecord(schema["items"]) ? schema["items"] : schema;
  const names = Array.isArray(from["enumNames"]) ? from["enumNames"] : [];
  const titled = [from["oneOf"], from["anyOf"]].find((list) => Array.isArray(list)) ?? [];
  const pairs: [unknown, unknown][] = Array.isArray(from["enum"])
    ? from["enum"].map((value, at): [unknown, unknown] => [value, names[at]])
    : (titled as unknown[]).map((one) =>
        isRecord(one) ? [one["const"], one["title"]] : [one, one],
      );
  return pairs.flatMap(([value, title]) =>
    typeof value === "string"
      ? [{ value, title: plainLine(typeof title === "string" ? title : value, maxTextLength) }]
      : [],
  );
}

function describeType(schema: JsonObject): string {
  if (schema["type"] === "array") return "some of the choices, with commas between them";
  if (choicesOf(schema).length > 0) return "one of the choices";
  if (schema["type"] === "integer") return "a whole number";
  if (schema["type"] === "number") return "a number";
  if (schema["type"] === "boolean") return "yes or no";
  return typeof schema["format"] === "string" ? plainLine(schema["format"], 40) : "text";
}

function parseAnswer(
  text: string,
  { type }: JsonObject,
  choices: readonly ElicitChoice[],
): ElicitValue {
  if (type === "array") return text.split(",").map((part) => chosen(part.trim(), choices));
  if (type === "boolean") return booleans.get(text.toLowerCase()) ?? text;
  if (type === "number" || type === "integer") {
    const number = Number(text);
    return Number.isFinite(number) ? number : text;
  }
  return choices.length > 0 ? chosen(text, choices) : text;
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...["y", "yes", "true"].map((word): [string, boolean] => [word, true]),
  ...["n", "no", "false"].map((word): [string, boolean] => [word, false]),
]);

/** Finds a choice by its value, its title, or its number in the list. */
function chosen(text: string, choices: readonly ElicitChoice[]): string {
  const meant =
    choices.find(({ value }) => value === text) ??
    choices.find(({ title }) => title.toLowerCase() === text.toLowerCase()) ??
    (/^\d+$/.test(text) ? choices[Number(text) - 1] : undefined);
  return meant?.value ?? text;
}

function checkValue(
  schema: JsonObject,
  value: ElicitValue,
): { value: ElicitValue } | { problem: string } {
  const compiled = compileSchema(schema);
  // Without a valid schema the server gets the value as typed.
  if ("problem" in compiled) return { value };
  const [problem] = compiled.check(value);
  return problem === undefined
    ? { value }
    : { problem: plainLine(problem.replace(/^the value: /, ""), maxTextLength) };
}
