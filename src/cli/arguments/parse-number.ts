import { InvalidArgumentError } from "commander";

/** Parses a number above 0. @throws InvalidArgumentError for anything else. */
export function parsePositive(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError("Expected a number above 0.");
}

/** Parses a whole number above 0. @throws InvalidArgumentError for anything else. */
export function parseCount(text: string): number {
  const value = parsePositive(text);
  if (Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError("Expected a whole number above 0.");
}
