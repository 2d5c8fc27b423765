import { readChoice } from "./field-readers.ts";
import type { Fields } from "./fields.ts";

type Effort = "low" | "medium" | "high";

/** Cadre's effort for each term of other programs. */
const efforts: Readonly<Record<string, Effort>> = {
  low: "low",
  medium: "medium",
  high: "high",
  none: "low",
  minimal: "low",
  xhigh: "high",
  max: "high",
};

/** Returns Cadre's effort for another program's effort or variant; `undefined` for an unknown term. */
export function toEffort(word: string): Effort | undefined {
  return Object.hasOwn(efforts, word) ? efforts[word] : undefined;
}

/** Returns the effort in another program's file. A term unknown to Cadre becomes the nearest effort, with a finding. */
export function readForeignEffort(fields: Fields): Effort | undefined {
  const effort = readChoice(fields, "effort", efforts, "warning");
  const field = fields.written.get("effort");
  if (effort === undefined || field === undefined || field.value === effort) return effort;
  const message = `\`${field.key}: ${JSON.stringify(field.value)}\` was read as \`${effort}\`, the nearest effort of Cadre.`;
  const fix = "No action is needed; the efforts are `low`, `medium` and `high`.";
  fields.report([field.key], { severity: "info", code: "unsupported-field", message, fix });
  return effort;
}
