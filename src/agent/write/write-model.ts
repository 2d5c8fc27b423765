import type { JsonObject } from "../../source/json.ts";
import type { WriteContext } from "./format-writer.ts";
import { toModelReference } from "../fields/foreign-model.ts";

/**
 * Writes a model's display id, for programs that know its provider: `claude-sonnet-4.5` for `anthropic:claude-
 * sonnet-4-5`.
 */
export function writeDisplayModel(model: string, { lose }: WriteContext): JsonObject {
  const id = model.slice(model.indexOf(":") + 1).replace(/(?<=^claude-\w+-\d)-(?=\d$)/, ".");
  if (model.includes(":") && toModelReference(id) === model) return { model: id };
  lose(`it has no name for the model \`${model}\`, which was left out`);
  return {};
}
