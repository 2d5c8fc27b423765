import type { Diagnostic } from "../source/diagnostic.ts";
import { isRecord, type JsonValue } from "../source/json.ts";
import type { PositionFinder } from "../source/position.ts";
import type { LayerEntry, Layer } from "./read-layer.ts";
import type { Setting } from "./settings.ts";

/** A setting that does not apply, because the folder of its file is not trusted. */
export interface IgnoredSetting {
  /** The dotted key. */
  key: string;
  /** The absolute path of the file. */
  path: string;
}

/**
 * Reduces the configuration of an untrusted project to its stricter settings, and returns the others as `ignored`. `before` returns
 * the value in effect without the project, by dotted key.
 */
export function restrictLayer(
  layer: Layer,
  before: (key: string) => JsonValue | undefined,
  file: { path: string; positionOf: PositionFinder },
): { layer: Layer; diagnostics: Diagnostic[]; ignored: IgnoredSetting[] } {
  const kept: Layer = new Map();
  const diagnostics: Diagnostic[] = [];
  const ignored: IgnoredSetting[] = [];
  for (const [key, entry] of layer) {
    if (mayCount(entry, before(key))) kept.set(key, entry);
    else {
      ignored.push({ key, path: file.path });
      diagnostics.push(describeIgnored(key, entry, file));
    }
  }
  return { layer: kept, diagnostics, ignored };
}

function mayCount({ setting, value }: LayerEntry, before: JsonValue | undefined): boolean {
  if (setting.untrusted !== "stricter") return setting.untrusted === "added";
  return value === before || measure(setting, value) < measure(setting, before);
}

/** Returns how much a value permits; NaN, which compares as false, for a value without a measure. */
function measure({ looseness = {} }: Setting, value: JsonValue | undefined): number {
  if (typeof value === "number") return value;
  const isNamed = typeof value === "string" || typeof value === "boolean";
  const name = isRecord(value) ? "map" : isNamed ? `${value}` : "";
  return looseness[name] ?? Number.NaN;
}

function describeIgnored(
  key: string,
  { keys }: LayerEntry,
  { path, positionOf }: { path: string; positionOf: PositionFinder },
): Diagnostic {
  const message = `\`${key}\` was ignored: the folder is not trusted, so its configuration may only make settings stricter.`;
  const fix = "Read the file, then run `cadre trust` in the project.";
  return { path, ...positionOf(...keys), severity: "warning", code: "not-trusted", message, fix };
}
