import { isRecord, type JsonValue } from "../../source/json.ts";
import type { LuaValue } from "../lua-value.ts";

/** The arguments of one call out of Lua, checked as they are taken. Positions count from 1. */
export interface Arguments {
  /** The function's name, such as `aip.text.trim`. */
  name: string;
  values: readonly LuaValue[];
}

/** Several results of one function. */
export interface Several {
  several: LuaValue[];
}

/** Asks the host for what reaches outside of the worker. */
export type AskHost = (name: string, ...args: LuaValue[]) => LuaValue;

/** A function of `aip.*` that works in the worker. */
export type AipFunction = (args: Arguments, ask: AskHost) => LuaValue | Several;

/** The functions of one module, by name. */
export type AipModule = Readonly<Record<string, AipFunction>>;

/** Whether the argument is nil or null, or was not given. */
export function isAbsent(args: Arguments, position: number): boolean {
  return args.values[position - 1] === undefined || args.values[position - 1] === null;
}

/** An argument as it came. */
export function anyOf(args: Arguments, position: number): LuaValue {
  return args.values[position - 1];
}

/** A string; numbers are taken as Lua writes them. */
export function textOf(args: Arguments, position: number): string {
  const value = args.values[position - 1];
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  throw wrongArgument(args, position, "a string");
}

/** A string, or `undefined` when there is none. */
export function maybeTextOf(args: Arguments, position: number): string | undefined {
  return isAbsent(args, position) ? undefined : textOf(args, position);
}

/** A number. */
export function numberOf(args: Arguments, position: number): number {
  const value = args.values[position - 1];
  if (typeof value === "number") return value;
  throw wrongArgument(args, position, "a number");
}

/** A list of strings; one string is a list of one. */
export function textsOf(args: Arguments, position: number): string[] {
  const value = args.values[position - 1];
  if (typeof value === "string") return [value];
  if (Array.isArray(value) && value.every((entry) => typeof entry === "string")) return value;
  throw wrongArgument(args, position, "a string or a list of strings");
}

/** A list. */
export function listOf(args: Arguments, position: number): JsonValue[] {
  const value = args.values[position - 1];
  if (Array.isArray(value)) return value;
  throw wrongArgument(args, position, "a list");
}

/** A table of options; none when absent. */
export function optionsOf(args: Arguments, position: number): Record<string, JsonValue> {
  const value = args.values[position - 1];
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0))
    return {};
  if (isRecord(value)) return value;
  throw wrongArgument(args, position, "a table of options");
}

/** A string among options, or `undefined`. */
export function textOption(
  args: Arguments,
  options: Record<string, JsonValue>,
  key: string,
): string | undefined {
  const value = options[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  throw new Error(
    `${args.name}: the option ${key} is expected to be a string, got ${nameKind(value)}`,
  );
}

/** Whether `extrude = "content"` is asked for. */
export function wantsExtrusion(args: Arguments, options: Record<string, JsonValue>): boolean {
  const extrude = textOption(args, options, "extrude");
  if (extrude !== undefined && extrude !== "content")
    throw new Error(
      `${args.name}: extrude is expected to be "content", got ${JSON.stringify(extrude)}`,
    );
  return extrude === "content";
}

/** The error about an argument of the wrong kind. */
export function wrongArgument(args: Arguments, position: number, expected: string): Error {
  const got = nameKind(args.values[position - 1]);
  return new Error(`${args.name} expects ${expected} as argument ${position}, got ${got}`);
}

/** The kind of a value, for messages. */
export function nameKind(value: LuaValue): string {
  if (value === undefined) return "nil";
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty table" : "a list";
  return typeof value === "object" ? "a table" : `a ${typeof value}`;
}
