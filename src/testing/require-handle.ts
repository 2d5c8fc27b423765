import { CadreError } from "../errors.ts";
import type { RunHandle } from "../runtime/run-handle.ts";
import { isRecord } from "../source/json.ts";

/** @throws CadreError `invalid-argument` unless `value` is the handle of a run. The message names `caller`. */
export function requireHandle(value: unknown, caller: string): asserts value is RunHandle {
  if (isRun(value)) return;
  const came = isPromise(value) ? "a promise: await it first" : describe(value);
  throw new CadreError(
    "invalid-argument",
    `${caller} expects a run, as \`await cadre.spawn(…)\` returns it, got ${came}.`,
  );
}

/** Reports whether `value` is the handle of a run. */
export function isRun(value: unknown): value is RunHandle {
  if (!isRecord(value)) return false;
  const functions = ["result", "journal", "descendants", "state", "stream"];
  return typeof value["id"] === "string" && functions.every((key) => isFunction(value[key]));
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

function isPromise(value: unknown): boolean {
  return typeof value === "object" && value !== null && "then" in value && isFunction(value.then);
}

function describe(value: unknown): string {
  if (isRecord(value)) return `an object with ${Object.keys(value).join(", ") || "no members"}`;
  return Array.isArray(value) ? "a list" : (JSON.stringify(value) ?? "undefined");
}
