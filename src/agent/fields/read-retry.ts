import type { RetryPolicy } from "../../run/retry-policy.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../source/json.ts";
import { didYouMean } from "../../source/nearest.ts";
import { describeValue } from "../../source/read-value.ts";
import { readObject } from "./field-readers.ts";
import type { Fields } from "./fields.ts";

/** The keys of `retry`, in both spellings. */
const retryKeys: Readonly<Record<string, keyof RetryPolicy>> = {
  maxRetries: "maxRetries",
  max_retries: "maxRetries",
  checks: "checks",
  onFailure: "onFailure",
  on_failure: "onFailure",
  timeoutSeconds: "timeoutSeconds",
  timeout_seconds: "timeoutSeconds",
  onFailureTimeoutSeconds: "onFailureTimeoutSeconds",
  on_failure_timeout_seconds: "onFailureTimeoutSeconds",
};

/** Reads `retry` of an agent file: the checks of an answer, and the number of retries. */
export function readRetry(fields: Fields): RetryPolicy | undefined {
  const written = readObject(fields, "retry");
  if (written === undefined) return undefined;
  const policy: Partial<RetryPolicy> = {};
  for (const [key, value] of Object.entries(written)) {
    Object.assign(policy, readEntry({ fields, key, value }));
  }
  if (policy.maxRetries === undefined && !("max_retries" in written || "maxRetries" in written)) {
    fields.report(["retry"], {
      severity: "error",
      code: "field-missing",
      message: "Expected `retry.max_retries`, got nothing.",
      fix: "Write `max_retries: 2`",
    });
  }
  return { maxRetries: 1, checks: [], ...policy };
}

interface Entry {
  fields: Fields;
  key: string;
  value: JsonValue;
}

function readEntry(entry: Entry): Partial<RetryPolicy> {
  const { key, value } = entry;
  const name = Object.hasOwn(retryKeys, key) ? retryKeys[key] : undefined;
  switch (name) {
    case undefined:
      return reportUnknown(entry);
    case "checks":
      return { checks: readChecks(entry) };
    case "onFailure":
      return isCommand(value) ? { onFailure: value } : wrongType(entry, "a shell command");
    case "maxRetries":
      return isWithin(value, 1000) && Number.isInteger(value)
        ? { maxRetries: value }
        : wrongType(entry, "a whole number from 1 to 1000");
    case "timeoutSeconds":
    case "onFailureTimeoutSeconds":
      return isWithin(value, Infinity)
        ? { [name]: value }
        : wrongType(entry, "a number of at least 1");
  }
}

/** Reads a check: a command, or `{ type: shell, command }` as in recipes. */
function readChecks(entry: Entry): RetryPolicy["checks"] {
  const { value } = entry;
  const list = Array.isArray(value) ? value : [value];
  return list.flatMap((check) => {
    const command = isRecord(check) && isShell(check) ? check["command"] : check;
    if (isCommand(command)) return [{ type: "shell", command } as const];
    wrongType({ ...entry, value: check }, "a list of shell commands");
    return [];
  });
}

function isShell(check: JsonObject): boolean {
  const isKnown = Object.keys(check).every((key) => key === "type" || key === "command");
  return isKnown && (check["type"] ?? "shell") === "shell";
}

function isCommand(value: JsonValue | undefined): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function isWithin(value: JsonValue, most: number): value is number {
  return typeof value === "number" && value >= 1 && value <= most;
}

function reportUnknown({ fields, key }: Entry): Partial<RetryPolicy> {
  const known = ["max_retries", "checks", "on_failure", "timeout_seconds"];
  fields.report(["retry", key], {
    severity: "error",
    code: "unknown-key",
    message: `\`retry.${key}\` is not a known key (${known.join(", ")}, on_failure_timeout_seconds).${didYouMean(key, Object.keys(retryKeys))}`,
    fix: null,
  });
  return {};
}

function wrongType({ fields, key, value }: Entry, expected: string): Partial<RetryPolicy> {
  fields.report(["retry", key], {
    severity: "error",
    code: "wrong-type",
    message: `Expected \`retry.${key}\` to be ${expected}; got ${describeValue(value)}.`,
    fix: `Write ${expected} after \`${key}\`, or remove the key.`,
  });
  return {};
}
