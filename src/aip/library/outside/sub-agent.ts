import type { JsonObject, JsonValue } from "../../../source/json.ts";
import { type AipModule, type Arguments, anyOf, optionsOf, textArgument } from "../arguments.ts";

const optionKeys = [
  "model",
  "model_aliases",
  "input_concurrency",
  "temperature",
  "top_p",
  "allow_run_on_task_fail",
] as const;

/** `aip.agent`. */
export const agent: AipModule = {
  run: (args, ask) => {
    const options = optionsOf(args, 2);
    const inputs = inputsOf(args, options);
    const folder = options["agent_base_dir"];
    return ask("agent.run", textArgument(args, 1), {
      inputs: inputs ?? null,
      options: options["options"] ?? {},
      folder: typeof folder === "string" ? folder : null,
    });
  },
  extract_options: (args) => {
    const value = anyOf(args, 1);
    if (typeof value !== "object" || value === null) return undefined;
    const source = Array.isArray(value) ? {} : value;
    const found: JsonObject = {};
    for (const key of optionKeys) {
      const entry = source[key];
      if (entry !== undefined) found[key] = entry;
    }
    return found;
  },
};

/** Returns `input` followed by `inputs`; `undefined` without both. */
function inputsOf(args: Arguments, options: Record<string, JsonValue>): JsonValue[] | undefined {
  const { input, inputs } = options;
  if (inputs !== undefined && inputs !== null && !Array.isArray(inputs))
    throw new Error(`${args.name}: expected inputs to be a list`);
  if (input === undefined && !Array.isArray(inputs)) return undefined;
  return [...(input === undefined ? [] : [input]), ...(Array.isArray(inputs) ? inputs : [])];
}
