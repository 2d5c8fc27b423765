import { isRecord } from "../../source/json.ts";

/** Replaces the path of one folder with the path of another in all strings of a JSON value. */
export type MovePaths = <Value>(value: Value) => Value;

/**
 * Creates the function that replaces the folder `from` with `to` (both absolute) wherever a string contains it as a whole path or
 * as the beginning of one.
 */
export function createMovePaths(from: string, to: string): MovePaths {
  const form = new RegExp(
    `(?<![\\w.-])${from.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")}(?![\\w-]|\\.\\w)`,
    "g",
  );
  const moveText = (text: string): string =>
    text.includes(from) ? text.replaceAll(form, () => to) : text;
  const move = (value: unknown): unknown => {
    if (typeof value === "string") return moveText(value);
    if (Array.isArray(value)) return value.map(move);
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [moveText(key), move(one)]),
    );
  };
  return <Value>(value: Value) => move(value) as Value;
}
