import type { JsonObject } from "../source/json.ts";
import type { WriteContext } from "./format-writer.ts";
import { toModelReference } from "./foreign-model.ts";

/** Writes a model by its id, for programs that know whose it is: `anthropic:claude-sonnet-4-5` as `claude-sonnet-4.5`. */
export function writeDisplayModel(model: string, { lose }: WriteContext): JsonObject {
  const id = model.slice(model.indexOf(":") + 1).replace(/(?<=^claude-\w+-\d)-(?=\d$)/, ".");
  if (model.includes(":") && toModelReference(id) === model) return { model: id };
  lose(`it has no name for the model \`${model}\`, which was left out`);
  return {};
}
