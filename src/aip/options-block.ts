import { parse, TomlError } from "smol-toml";
import type { Diagnostic } from "../source/diagnostic.ts";
import { isRecord, type JsonValue } from "../source/json.ts";
import type { AipScript } from "./aip.ts";
import { readAipOptions, type AipOptions } from "./aip-options.ts";

/** The options of a block of TOML, with the places of what is wrong in it. */
export interface OptionsBlock {
  options: AipOptions;
  diagnostics: Diagnostic[];
}

/**
 * Reads the TOML of `# Options`, or of the older `# Config` and of configuration files, where the same keys are in
 * the table `default_options` (before that `genai` and `runtime`).
 */
export function parseOptionsBlock(block: AipScript, path: string, isConfig: boolean): OptionsBlock {
  let value: unknown;
  try {
    value = parse(block.code);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const message = `Expected TOML: ${firstLine(error.message)}.`;
    const place = { line: block.line + error.line - 1, column: error.column };
    return { options: {}, diagnostics: [finding(path, place, message)] };
  }
  const json = JSON.parse(JSON.stringify(value)) as JsonValue;
  const { options, problems } = readAipOptions(isConfig ? flattenConfig(json) : json);
  return {
    options,
    diagnostics: problems.map(({ key, message }) =>
      finding(path, placeOf(key, block), `\`${key}\`: ${message}.`),
    ),
  };
}

function flattenConfig(value: JsonValue): unknown {
  if (!isRecord(value)) return value;
  const aliases = value["model_aliases"];
  const current = value["default_options"] ?? value["options"];
  const { genai, runtime } = value;
  const older = {
    ...(isRecord(genai) ? genai : {}),
    ...(isRecord(runtime) ? runtime : {}),
  };
  const options = isRecord(current) ? current : older;
  return isRecord(aliases) && options["model_aliases"] === undefined
    ? { ...options, model_aliases: aliases }
    : options;
}

function placeOf(key: string, block: AipScript): { line: number; column: number } {
  const name = key.split(".")[0] ?? key;
  const at = block.code.split("\n").findIndex((line) => line.trimStart().startsWith(name));
  return { line: block.line + Math.max(at, 0), column: 1 };
}

function finding(
  path: string,
  place: { line: number; column: number },
  message: string,
): Diagnostic {
  return { path, ...place, severity: "error", code: "aip-options", message, fix: null };
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]?.replace(/^Invalid TOML document: /, "") ?? text;
}
