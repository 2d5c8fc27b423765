import { isRecord, type JsonObject, type JsonValue } from "../source/json.ts";
import { type Config, defaultConfig } from "./config.ts";
import type { LayerEntry, Layer } from "./read-layer.ts";
import { findSetting, type Setting } from "./settings.ts";

/** Returns the defaults as the lowest layer. */
export function defaultLayer(): Layer {
  const entries = Object.entries(flatten(defaultConfig as unknown as JsonObject));
  return new Map(
    entries.map(([key, value]) => {
      const keys = key.split(".");
      const setting = findSetting(keys) as Setting;
      return [key, { keys, setting, value, origin: "default" }];
    }),
  );
}

function flatten(group: JsonObject, prefix = ""): JsonObject {
  const entries = Object.entries(group).flatMap(([key, value]) =>
    isRecord(value)
      ? Object.entries(flatten(value, `${prefix}${key}.`))
      : [[`${prefix}${key}`, value]],
  );
  return Object.fromEntries(entries) as JsonObject;
}

/** Merges layers, lowest first. Later values take precedence; joined lists are concatenated. */
export function mergeConfigLayers(layers: readonly Layer[]): Layer {
  const merged: Layer = new Map();
  for (const layer of layers) {
    for (const [key, entry] of layer) merged.set(key, combine(merged.get(key), entry));
  }
  return merged;
}

function combine(below: LayerEntry | undefined, entry: LayerEntry): LayerEntry {
  const isJoined = entry.setting.isJoined === true;
  if (!isJoined || !Array.isArray(below?.value) || below.value.length === 0) return entry;
  const value = [...new Set([...below.value, ...(entry.value as JsonValue[])])];
  return { ...entry, value, origin: `${below.origin}, ${entry.origin}` };
}

/** Builds the configuration from a complete layer. */
export function buildConfig(merged: Layer): Config {
  const config = structuredClone(defaultConfig) as unknown as JsonObject;
  for (const { keys, value } of merged.values()) {
    let group = config;
    for (const key of keys.slice(0, -1)) group = group[key] as JsonObject;
    // Defined instead of assigned, so that `__proto__` stays an ordinary name.
    Object.defineProperty(group, keys.at(-1) ?? "", {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return config as unknown as Config;
}
