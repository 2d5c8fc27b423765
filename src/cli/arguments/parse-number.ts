import { InvalidArgumentError } from "commander";

/** Parses a whole number above 0. @throws InvalidArgumentError for anything else. */
export function parseCount(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isSafeInteger(value) && value > 0) return value;
  throw new InvalidArgumentError("Expected a whole number above 0.");
}
