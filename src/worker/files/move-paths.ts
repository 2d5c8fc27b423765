import { isRecord } from "../../source/json.ts";

/** Replaces the path of one folder by that of another in all texts of a value; JSON only. */
export type MovePaths = <Value>(value: Value) => Value;

/**
 * Creates the function that replaces the folder `from` by `to` (absolute) wherever a text contains it as a whole path, or as the beginning
 * of a path.
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
