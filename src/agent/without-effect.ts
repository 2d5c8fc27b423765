import type { Severity } from "../source/diagnostic.ts";
import type { Fields } from "./fields.ts";

/** Reports each of `names` that was written: a field its own program has and Cadre does not. */
export function reportWithoutEffect(
  fields: Fields,
  names: readonly string[],
  severity: Severity = "warning",
): void {
  for (const name of names) {
    const field = fields.written.get(name);
    if (field === undefined) continue;
    const message = `\`${field.key}\` is not supported here and has no effect.`;
    const fix = "Nothing has to be done, unless the agent relies on it.";
    fields.report([field.key], { severity, code: "unsupported-field", message, fix });
  }
}
