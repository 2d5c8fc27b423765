import type { Diagnostic } from "../../source/diagnostic.ts";
import { isRecord, type JsonObject } from "../../source/json.ts";
import { readToml } from "../../source/toml.ts";
import type { AipScript } from "./aip.ts";
import { readAipOptions, type AipOptions } from "./aip-options.ts";

/** The options of a TOML block, and its diagnostics. */
export interface OptionsBlock {
  options: AipOptions;
  diagnostics: Diagnostic[];
}

/**
 * Parses the TOML of `# Options`, or of the older `# Config` and of configuration files, where the same keys are in the table
 * `default_options` (earlier `genai` and `runtime`).
 */
export function parseOptionsBlock(block: AipScript, path: string, isConfig: boolean): OptionsBlock {
  const { value, positionOf, diagnostics } = readToml(block.code, path, block.line);
  if (value === undefined) return { options: {}, diagnostics };
  const { options, problems } = readAipOptions(isConfig ? flattenConfig(value) : value);
  return {
    options,
    diagnostics: problems.map(({ key, message }): Diagnostic => {
      const { line, column } = positionOf(...findOption(key.split("."), value));
      const problem = `\`${key}\`: ${message}.`;
      return {
        path,
        line,
        column,
        severity: "error",
        code: "aip-options",
        message: problem,
        fix: null,
      };
    }),
  };
}

/** Returns the path of an option, which may be in one of the tables that {@link flattenConfig} joins. */
function findOption(keys: readonly string[], value: JsonObject): readonly string[] {
  const [first = ""] = keys;
  if (Object.hasOwn(value, first)) return keys;
  const tables = Object.keys(value);
  const table = tables.find((name) => isRecord(value[name]) && Object.hasOwn(value[name], first));
  return table === undefined ? keys : [table, ...keys];
}

function flattenConfig(value: JsonObject): JsonObject {
  const aliases = value["model_aliases"];
  const current = value["default_options"] ?? value["options"];
  const { genai, runtime } = value;
  const older = {
    ...(isRecord(genai) && genai),
    ...(isRecord(runtime) && runtime),
  };
  const options = isRecord(current) ? current : older;
  return isRecord(aliases) && options["model_aliases"] === undefined
    ? { ...options, model_aliases: aliases }
    : options;
}
