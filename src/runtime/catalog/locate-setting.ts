import type { LoadedConfig } from "../../config/load-config.ts";
import type { Diagnostic } from "../../source/diagnostic.ts";

/** Returns where a setting is: its file and line, or its other origin such as `environment CADRE_MODEL`. */
export function locateSetting(
  sources: LoadedConfig["sources"],
  key: string,
): Pick<Diagnostic, "path" | "line" | "column"> {
  const origin = sources[key]?.origin ?? "";
  const [, path = origin, line = "1"] = /^(.*):(\d+)$/.exec(origin) ?? [];
  return { path, line: Number(line), column: 1 };
}
