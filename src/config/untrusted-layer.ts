import type { Diagnostic } from "../source/diagnostic.ts";
import { isRecord, type JsonValue } from "../source/json.ts";
import type { PlaceFinder } from "../source/place.ts";
import type { Entry, Layer } from "./read-layer.ts";
import type { Setting } from "./settings.ts";

/**
 * What is left of a project's configuration in a folder that is not trusted: what makes things stricter. `before` is what
 * is in effect without it, by dotted key.
 */
export function restrictLayer(
  layer: Layer,
  before: (key: string) => JsonValue | undefined,
  file: { path: string; placeOf: PlaceFinder },
): { layer: Layer; diagnostics: Diagnostic[] } {
  const kept: Layer = new Map();
  const diagnostics: Diagnostic[] = [];
  for (const [key, entry] of layer) {
    if (mayCount(entry, before(key))) kept.set(key, entry);
    else diagnostics.push(ignored(key, entry, file));
  }
  return { layer: kept, diagnostics };
}

function mayCount({ setting, value }: Entry, before: JsonValue | undefined): boolean {
  if (setting.untrusted !== "stricter") return setting.untrusted === "added";
  return value === before || measure(setting, value) < measure(setting, before);
}

/** NaN, which is less than nothing, for what has no measure. */
function measure({ looseness = {} }: Setting, value: JsonValue | undefined): number {
  if (typeof value === "number") return value;
  const isNamed = typeof value === "string" || typeof value === "boolean";
  const name = isRecord(value) ? "map" : isNamed ? `${value}` : "";
  return looseness[name] ?? Number.NaN;
}

function ignored(
  key: string,
  { keys }: Entry,
  { path, placeOf }: { path: string; placeOf: PlaceFinder },
): Diagnostic {
  const message = `\`${key}\` was ignored: the folder is not trusted, so its configuration may only make things stricter.`;
  const fix = "Read the file, then run `cadre trust` in the project.";
  return { path, ...placeOf(...keys), severity: "warning", code: "not-trusted", message, fix };
}
