import { readChoice } from "./field-readers.ts";
import type { Fields } from "./fields.ts";

type Effort = "low" | "medium" | "high";

/** Cadre's word for each of those that other programs have. */
const efforts: Readonly<Record<string, Effort>> = {
  low: "low",
  medium: "medium",
  high: "high",
  none: "low",
  minimal: "low",
  xhigh: "high",
  max: "high",
};

/** The word Cadre has for another program's effort or variant; `undefined` when it is none. */
export function toEffort(word: string): Effort | undefined {
  return Object.hasOwn(efforts, word) ? efforts[word] : undefined;
}

/** How hard the model should think, in another program's words; one Cadre does not have is the nearest, which is said. */
export function readForeignEffort(fields: Fields): Effort | undefined {
  const effort = readChoice(fields, "effort", efforts, "warning");
  const field = fields.written.get("effort");
  if (effort === undefined || field === undefined || field.value === effort) return effort;
  const message = `\`${field.key}: ${JSON.stringify(field.value)}\` was read as \`${effort}\`, the nearest there is here.`;
  const fix = "Nothing has to be done; there are `low`, `medium` and `high`.";
  fields.report([field.key], { severity: "info", code: "unsupported-field", message, fix });
  return effort;
}
