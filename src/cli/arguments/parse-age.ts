import { InvalidArgumentError } from "commander";
import { parseDuration } from "../view/format-value.ts";

/** Parses a duration to milliseconds. @throws InvalidArgumentError for anything else. */
export function parseAge(text: string): number {
  const age = parseDuration(text);
  if (age !== undefined) return age;
  throw new InvalidArgumentError("Expected a time such as 30d, 12h, 10m or 0s.");
}
