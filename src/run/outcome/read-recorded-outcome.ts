// The outcome of a call, as the journal records it.

import { isRecord, type JsonValue } from "../../source/json.ts";

/** The outcome of a recorded call. */
export interface RecordedOutcome {
  text: string;
  isError: boolean;
  output?: JsonValue;
}

/**
 * Reads the outcome of a call from the value of its step: a tool call, or the command of a check. Journals are untrusted: a value
 * of any other shape becomes its JSON.
 */
export function readRecordedOutcome(value: unknown): RecordedOutcome {
  if (!isRecord(value)) return { text: toText(value), isError: false };
  if ("exitCode" in value) return readCheck(value);
  const { text, isError, output } = value;
  const known = { text: toText(text), isError: isError === true };
  return output === undefined ? known : { ...known, output: output as JsonValue };
}

function readCheck({ exitCode, endedBy, output }: Readonly<Record<string, unknown>>): {
  text: string;
  isError: boolean;
} {
  const isError = exitCode !== 0 || endedBy !== null;
  const text = toText(output);
  return { text: isError ? `exit code ${toText(exitCode)}\n${text}` : text, isError };
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
