// The `aip` library: the functions of scripts that run in the worker.

import { isRecord, type JsonValue } from "../../source/json.ts";
import type { LuaValue } from "../lua/lua-value.ts";

/** The arguments of one call from Lua, checked on access. Positions count from 1. */
export interface Arguments {
  /** The function's name, such as `aip.text.trim`. */
  name: string;
  values: readonly LuaValue[];
}

/** Multiple results of a function. */
export interface Several {
  several: LuaValue[];
}

/** Calls a host function outside the worker. */
export type AskHost = (name: string, ...args: LuaValue[]) => LuaValue;

/** A function of `aip.*` in the worker. */
export type AipFunction = (args: Arguments, ask: AskHost) => LuaValue | Several;

/** The functions of one module, by name. */
export type AipModule = Readonly<Record<string, AipFunction>>;

/** Reports whether the argument is nil, null or missing. */
export function isAbsent(args: Arguments, position: number): boolean {
  return args.values[position - 1] === undefined || args.values[position - 1] === null;
}

/** Returns an argument unchecked. */
export function anyOf(args: Arguments, position: number): LuaValue {
  return args.values[position - 1];
}

/** Returns a string argument. Converts numbers as Lua does. */
export function textArgument(args: Arguments, position: number): string {
  const value = args.values[position - 1];
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  throw wrongArgument(args, position, "a string");
}

/** Returns an optional string argument. */
export function maybeTextOf(args: Arguments, position: number): string | undefined {
  return isAbsent(args, position) ? undefined : textArgument(args, position);
}

/** Returns a number argument. */
export function numberOf(args: Arguments, position: number): number {
  const value = args.values[position - 1];
  if (typeof value === "number") return value;
  throw wrongArgument(args, position, "a number");
}

/** Returns a list of strings. A single string counts as a list of one. */
export function textsOf(args: Arguments, position: number): string[] {
  const value = args.values[position - 1];
  if (typeof value === "string") return [value];
  if (Array.isArray(value) && value.every((entry) => typeof entry === "string")) return value;
  throw wrongArgument(args, position, "a string or a list of strings");
}

/** Returns a list argument. */
export function listArgument(args: Arguments, position: number): JsonValue[] {
  const value = args.values[position - 1];
  if (Array.isArray(value)) return value;
  throw wrongArgument(args, position, "a list");
}

/** Returns a table of options; empty when absent. */
export function optionsOf(args: Arguments, position: number): Record<string, JsonValue> {
  const value = args.values[position - 1];
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0))
    return {};
  if (isRecord(value)) return value;
  throw wrongArgument(args, position, "a table of options");
}

/** Returns an option that is a string, or `undefined`. */
export function textOption(
  args: Arguments,
  options: Record<string, JsonValue>,
  key: string,
): string | undefined {
  const value = options[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  throw new Error(
    `${args.name}: expected the option ${key} to be a string, got ${nameKind(value)}`,
  );
}

/** Reports whether the option `extrude = "content"` is set. */
export function wantsExtrusion(args: Arguments, options: Record<string, JsonValue>): boolean {
  const extrude = textOption(args, options, "extrude");
  if (extrude !== undefined && extrude !== "content")
    throw new Error(
      `${args.name}: expected extrude to be "content", got ${JSON.stringify(extrude)}`,
    );
  return extrude === "content";
}

/** Returns the error for an argument of the wrong type. */
export function wrongArgument(args: Arguments, position: number, expected: string): Error {
  const got = nameKind(args.values[position - 1]);
  return new Error(`${args.name} expects ${expected} as argument ${position}, got ${got}`);
}

/** Returns the type of a value for messages. */
export function nameKind(value: LuaValue): string {
  if (value === undefined) return "nil";
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty table" : "a list";
  return typeof value === "object" ? "a table" : `a ${typeof value}`;
}
