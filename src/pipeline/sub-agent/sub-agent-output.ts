import { isEmptyList, isRecord, type JsonObject, type JsonValue } from "../../source/json.ts";
import { nearest } from "../../source/nearest.ts";
import { toPlainValue } from "../../source/plain-value.ts";
import type { CheckedOutput } from "./contract.ts";
import { describeJson, showKeyPath } from "../prompt-file/describe-json.ts";
import { type AgentConfig, normalizeEntries } from "../prompt-file/entry.ts";
import { findEmissionProblem } from "../event/event-name.ts";
import { findParameterProblems } from "../prompt-file/parameter.ts";
import { subAgentOutputSchema } from "./sub-agent-schema.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** The result of reading an agent's output. */
export type OutputReading =
  | { kind: "success"; output: CheckedOutput; warnings: string[] }
  /** The agent reports a failure. */
  | { kind: "failure"; message: string; details: string | null }
  /** The output breaks the contract. */
  | { kind: "invalid"; message: string };

interface Reader {
  fields: JsonObject;
  problems: string[];
  warnings: string[];
}

/** The approximate size limit of an agent's output, in characters of JSON. */
export const maxValueCharacters: number = 1024 * 1024;

const knownFields = Object.keys(subAgentOutputSchema["properties"] as JsonObject);

/**
 * Reads the output of `agent`: a table, nothing, or the response of an `.aip` agent, whose `after_all` takes precedence over
 * `outputs[0]`. `null` is the same as nothing, for the output and for each field.
 */
export function readOutput(returned: unknown, agent: string): OutputReading {
  const plain = toPlainValue(returned ?? null, maxValueCharacters, "output");
  if ("problem" in plain) {
    return invalid(agent, [`expected a table that JSON can represent; got ${plain.problem}`]);
  }
  const value = unwrap(plain.value);
  if (value === null || isEmptyList(value)) return { kind: "success", output: {}, warnings: [] };
  if (!isRecord(value)) {
    return invalid(agent, [`expected a table, or nothing; got ${describeJson(value)}`]);
  }
  const present = Object.entries(value).filter(([, field]) => field !== null);
  const reader: Reader = { fields: Object.fromEntries(present), problems: [], warnings: [] };
  const failure = readFailure(reader);
  if (failure !== null) return failure;
  const output = readFields(reader);
  warnUnknown(reader, agent);
  if (reader.problems.length > 0) return invalid(agent, reader.problems);
  return { kind: "success", output, warnings: reader.warnings };
}

/** Returns the output inside the `{ outputs, after_all }` of an `.aip` agent. */
function unwrap(value: JsonValue): JsonValue {
  if (!isRecord(value) || knownFields.some((field) => field in value)) return value;
  const { outputs, after_all: afterAll } = value;
  if (outputs === undefined && afterAll === undefined) return value;
  if (afterAll !== undefined && afterAll !== null) return afterAll;
  return Array.isArray(outputs) ? (outputs[0] ?? null) : null;
}

/** Reads a reported failure. It counts regardless of problems in other fields. */
function readFailure(reader: Reader): OutputReading | null {
  const { fields } = reader;
  const success = readType(reader, "success", "true or false", isBoolean);
  const message = readType(reader, "error_msg", "a text", isText);
  const details = readType(reader, "error_details", "a text", isText);
  const isFailure = success === false || fields["error_msg"] !== undefined;
  if (!isFailure || reader.problems.length > 0) return null;
  return { kind: "failure", message: message ?? "Unknown error", details: details ?? null };
}

function readFields(reader: Reader): CheckedOutput {
  const params = readParams(reader);
  const prompts = readPrompts(reader);
  const next = readNext(reader);
  const events = readList(reader, "emit_events", "a list of events");
  for (const [index, event] of (events ?? []).entries()) {
    const problem = findEmissionProblem(event);
    if (problem !== null) reader.problems.push(`field \`emit_events[${index}]\`: ${problem}`);
  }
  for (const { keys, expected, got } of findParameterProblems(params ?? {})) {
    reader.problems.push(expectation(showKeyPath(["coder_params", ...keys]), expected, got));
  }
  const redo = readType(reader, "coder_redo", "true or false", isBoolean);
  const result = reader.fields["agent_result"];
  return {
    ...omitUndefined({
      coder_params: params,
      coder_prompts: prompts,
      agent_result: result,
      sub_agents_next: next,
      emit_events: events,
      coder_redo: redo,
    }),
  };
}

function readParams(reader: Reader): JsonObject | undefined {
  const isEmpty = isEmptyList(reader.fields["coder_params"]);
  return isEmpty ? {} : readType(reader, "coder_params", "a table", isTable);
}

function readPrompts(reader: Reader): string[] | undefined {
  const prompt = readType(reader, "coder_prompt", "a text", isText);
  const prompts = readList(reader, "coder_prompts", "a list of texts");
  if (prompt !== undefined && prompts !== undefined && prompts.join("\n\n") !== prompt) {
    const problem = "expected `coder_prompt` or `coder_prompts`; got both with different texts";
    reader.problems.push(problem);
  }
  return prompts ?? (prompt === undefined ? undefined : [prompt]);
}

function readNext(reader: Reader): AgentConfig[] | undefined {
  const value = reader.fields["sub_agents_next"];
  if (value === undefined) return undefined;
  if (isEmptyTable(value)) return [];
  const { configs, findings } = normalizeEntries(value);
  for (const { keys, severity, message, fix } of findings) {
    const place = showKeyPath(["sub_agents_next", ...keys]);
    const text = `field \`${place}\`: ${message}${fix === null ? "" : ` ${fix}`}`;
    (severity === "error" ? reader.problems : reader.warnings).push(text);
  }
  return configs;
}

function readList(reader: Reader, field: string, expected: string): string[] | undefined {
  const value = reader.fields[field];
  if (value === undefined) return undefined;
  if (isEmptyTable(value)) return [];
  if (!Array.isArray(value)) {
    reader.problems.push(expectation(field, expected, describeJson(value)));
    return undefined;
  }
  for (const [index, item] of value.entries()) {
    if (isText(item)) continue;
    reader.problems.push(expectation(`${field}[${index}]`, "a text", describeJson(item)));
  }
  return value.filter(isText);
}

function readType<Value extends JsonValue>(
  { fields, problems }: Reader,
  field: string,
  expected: string,
  isRight: (value: JsonValue) => value is Value,
): Value | undefined {
  const value = fields[field];
  if (value === undefined || isRight(value)) return value;
  problems.push(expectation(field, expected, describeJson(value)));
  return undefined;
}

const isText = (value: JsonValue): value is string => typeof value === "string";
const isBoolean = (value: JsonValue): value is boolean => typeof value === "boolean";
const isTable = (value: JsonValue): value is JsonObject => isRecord(value);

/** Reports whether a value is Lua's empty table, which may stand for a list or a table. */
function isEmptyTable(value: JsonValue): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}

/** Warns of unknown fields, which are ignored as in pro@coder. */
function warnUnknown({ fields, warnings }: Reader, agent: string): void {
  for (const field of Object.keys(fields)) {
    if (knownFields.includes(field) || field.startsWith("_")) continue;
    const meant = nearest(field, knownFields);
    const hint = meant === null ? "" : ` Did it mean \`${meant}\`?`;
    warnings.push(`Sub-agent [${agent}] returned the unknown field \`${field}\`.${hint}`);
  }
}

function expectation(field: string, expected: string, got: string): string {
  return `field \`${field}\`: expected ${expected}; got ${got}`;
}

function invalid(agent: string, problems: readonly string[]): OutputReading {
  const message = `Sub-agent [${agent}] failed: its output is not valid: ${problems.join("; ")}`;
  return { kind: "invalid", message: /[.!?]$/.test(message) ? message : `${message}.` };
}
