import { InvalidArgumentError } from "commander";

const unitMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Parses `30d`, `12h`, `5m`, `10s` or `2w` into milliseconds. @throws InvalidArgumentError for anything else. */
export function parseDuration(text: string): number {
  const [, count, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  if (count !== undefined) return Number(count) * (unitMs[unit] ?? 0);
  throw new InvalidArgumentError("Expected a time such as 2w, 30d, 12h, 10m or 0s.");
}

/**
 * Parses a time above 0 in seconds: `300`, or with a unit `90s`, `10m` or `2h`.
 *
 * @throws InvalidArgumentError for anything else.
 */
export function parseSeconds(text: string): number {
  const value = /^\d{1,6}[smhdw]$/.test(text) ? parseDuration(text) / 1000 : Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError("Expected seconds above 0, or a time such as 90s, 10m or 2h.");
}
