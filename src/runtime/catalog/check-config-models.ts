import type { Config } from "../../config/config.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import { CadreError } from "../../errors.ts";
import { checkReference } from "../../model/model-reference.ts";
import type { Diagnostic, Severity } from "../../source/diagnostic.ts";
import { locateSetting } from "./locate-setting.ts";

/**
 * Checks the models that the configuration names. Runs fail without a usable `model`; a fallback or an alias matters to some of them
 * only. Which models are available depends on keys, which may be missing here.
 */
export function checkConfigModels({
  config,
  sources,
}: Pick<LoadedConfig, "config" | "sources">): Diagnostic[] {
  const { model, fallbacks = [], models } = config;
  function check(key: string, reference: string, severity: Severity): Diagnostic[] {
    const problem = describeUnknownModel(reference, models);
    if (problem === null) return [];
    const message = `The model of \`${key}\` cannot be used: ${problem}`;
    const finding = { severity, code: "model-unavailable", message, fix: null };
    return [{ ...locateSetting(sources, key), ...finding }];
  }
  const aliases = Object.entries(models.aliases);
  return [
    ...(model === undefined ? [] : check("model", model, "error")),
    ...fallbacks.flatMap((fallback) => check("fallbacks", fallback, "warning")),
    ...aliases.flatMap(([name, target]) => check(`models.aliases.${name}`, target, "warning")),
  ];
}

/** Returns why a reference names no known provider's model, or null. */
export function describeUnknownModel(reference: string, models: Config["models"]): string | null {
  try {
    checkReference(reference, models);
    return null;
  } catch (error) {
    if (error instanceof CadreError) return error.message;
    throw error;
  }
}
