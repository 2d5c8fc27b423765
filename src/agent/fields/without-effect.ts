import type { Severity } from "../../source/diagnostic.ts";
import type { Fields } from "./fields.ts";

/** Reports each given field in `names`. The file's own program supports these fields, but Cadre does not. */
export function reportWithoutEffect(
  fields: Fields,
  names: readonly string[],
  severity: Severity = "warning",
): void {
  for (const name of names) {
    const field = fields.written.get(name);
    if (field === undefined) continue;
    const message = `\`${field.key}\` is not supported and has no effect.`;
    const fix = "No action is needed unless the agent relies on it.";
    fields.report([field.key], { severity, code: "unsupported-field", message, fix });
  }
}
