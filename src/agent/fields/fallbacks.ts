import { maxFallbacks } from "../../run/fallback/model-change.ts";
import { readList } from "./field-readers.ts";
import type { Fields } from "./fields.ts";

/** Returns the models that take over from the agent's own. `[]` stays an empty list, which means no fallbacks. */
export function readFallbacks(fields: Fields): string[] | undefined {
  const models = readList(fields, "fallbacks")?.filter((model) => model !== "");
  if (models === undefined || models.length <= maxFallbacks) return models;
  const message = `Expected \`fallbacks\` to have at most ${maxFallbacks} models; got ${models.length}.`;
  const fix = "Remove the last ones.";
  fields.report(["fallbacks"], { severity: "error", code: "wrong-value", message, fix });
  return undefined;
}
