import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { CadreError } from "../errors.ts";
import type { Diagnostic } from "../source/diagnostic.ts";
import { isRecord, type JsonObject, type JsonValue } from "../source/json.ts";
import { projectFolders } from "../source/file/project-root.ts";
import { readClaudeHooks } from "./claude-hooks.ts";
import type { Config } from "./config.ts";
import { environmentSettings } from "./environment-variables.ts";
import { buildConfig, defaultLayer, mergeConfigLayers } from "./merge-layers.ts";
import { type LayerEntry, type Layer, readGivenSettings, readLayer } from "./read-layer.ts";
import { findSetting, type Setting } from "./settings.ts";
import { findStateRoot, projectStateFolder } from "./state-folder.ts";
import { type IgnoredSetting, restrictLayer } from "./untrusted-layer.ts";

/** Settings from a command line or from code. */
export interface ConfigFlags {
  model?: string;
  fallbacks?: readonly string[];
  /** The setting `permissions.mode`. */
  mode?: string;
  sandbox?: string;
  stateDir?: string;
  instructions?: boolean;
}

/** Options of {@link loadConfig}. */
export interface ConfigRequest {
  /** An absolute path. */
  cwd: string;
  /** The absolute path of the user's home folder. */
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  flags: ConfigFlags;
  /** Settings of the program in the form of a configuration file. They take precedence over all files and the environment. */
  given?: JsonObject | undefined;
  /** Reports whether the folder at a path is trusted. */
  isTrusted: (path: string) => boolean;
  /** The names of the program's tools. Absent: none. */
  ownTools?: readonly string[];
}

/** The value and the origin of a setting. */
export interface ConfigSource {
  /** The value for display. The values of headers and variables are hidden. */
  value: JsonValue;
  /** ``the option `model` ``, `environment CADRE_MODEL`, `path:line` or `default`; several files are joined with `, `. */
  origin: string;
}

/** The configuration in effect. */
export interface LoadedConfig {
  config: Config;
  /** The value and origin of each setting by dotted key, in the order of the keys. */
  sources: Record<string, ConfigSource>;
  /** The settings of an untrusted project that do not apply. */
  ignored: readonly IgnoredSetting[];
  /** The findings. If one is an error, the configuration must not be used. */
  diagnostics: Diagnostic[];
}

/** The option of `createCadre` for each flag, and the setting that it sets. */
const optionSettings: Readonly<Record<keyof ConfigFlags, { option: string; key: string }>> = {
  model: { option: "model", key: "model" },
  fallbacks: { option: "fallbacks", key: "fallbacks" },
  mode: { option: "mode", key: "permissions.mode" },
  sandbox: { option: "sandbox", key: "sandbox.mode" },
  stateDir: { option: "registry", key: "stateDir" },
  instructions: { option: "instructions", key: "instructions" },
};

/**
 * Loads the configuration: flags over the option `config` over the environment over the project's `.cadre/config.yaml` (the nearest one
 * up to the project's root) over the user's. Rule lists of all files are joined. Errors in a file are diagnostics.
 *
 * @throws CadreError `config-invalid` for an invalid option or variable, or a missing home folder.
 */
export async function loadConfig(request: ConfigRequest): Promise<LoadedConfig> {
  const { cwd, home, environment, flags } = request;
  const user = await readFileLayer(join(resolve(home), ".cadre", "config.yaml"), request);
  const layers = [defaultLayer(), readStateLocation(request), user.layer];
  const project = await readProject(request, layers);
  layers.push(project.layer, readEnvironment(environment, cwd));
  layers.push(readGiven(request), readFlags(flags, cwd));
  const asked = mergeConfigLayers(layers);
  const claude =
    asked.get("claudeHooks")?.value === true
      ? await readClaudeHooks(request)
      : { layers: [], diagnostics: [] };
  const merged = mergeConfigLayers([asked, ...claude.layers]);
  return {
    config: buildConfig(merged),
    sources: Object.fromEntries(
      [...merged].map(([key, { value, origin, setting }]) => [
        key,
        { value: setting.isSecret === true ? "(hidden)" : withoutSecrets(value), origin },
      ]),
    ),
    ignored: project.ignored,
    diagnostics: [...user.diagnostics, ...project.diagnostics, ...claude.diagnostics],
  };
}

/** Reads the settings that depend on the project's folder. */
function readStateLocation({ cwd, home, environment }: ConfigRequest): Layer {
  const root = findStateRoot({ cwd, home });
  const folder = projectStateFolder(root, { home, environment });
  return new Map([createEntry("stateDir", folder, `default for the project ${root}`, cwd)]);
}

async function readProject(
  request: ConfigRequest,
  below: readonly Layer[],
): Promise<{ layer: Layer; diagnostics: Diagnostic[]; ignored: IgnoredSetting[] }> {
  const { cwd, home, isTrusted } = request;
  const folders = projectFolders({ cwd, home });
  const folder = folders.find((one) => existsSync(join(one, ".cadre", "config.yaml")));
  if (folder === undefined) return { layer: new Map(), diagnostics: [], ignored: [] };
  const path = join(folder, ".cadre", "config.yaml");
  const file = await readFileLayer(path, request);
  if (isTrusted(folder)) return { ...file, ignored: [] };
  const before = mergeConfigLayers(below);
  const restricted = restrictLayer(file.layer, (key) => before.get(key)?.value, {
    path,
    positionOf: file.positionOf,
  });
  return { ...restricted, diagnostics: [...file.diagnostics, ...restricted.diagnostics] };
}

/**
 * Reads a file. Its relative paths (`stateDir`, the `cwd` of an extension …) are resolved from the parent folder of
 * `.cadre`.
 */
async function readFileLayer(
  path: string,
  { home, ownTools }: ConfigRequest,
): ReturnType<typeof readLayer> {
  const file = await readLayer(path, ownTools);
  resolvePaths(file.layer, dirname(dirname(path)), home);
  return file;
}

/** Reads the option `config`. Its relative paths are resolved from the working folder. */
function readGiven({ cwd, home, given, ownTools }: ConfigRequest): Layer {
  if (given === undefined) return new Map();
  const layer = readGivenSettings(given, "the option `config`", ownTools);
  resolvePaths(layer, cwd, home);
  return layer;
}

/** Makes the paths of settings absolute. */
function resolvePaths(layer: Layer, base: string, home: string): void {
  for (const [key, entry] of layer) {
    const { value } = entry;
    if (key === "stateDir" && typeof value === "string") {
      layer.set(key, { ...entry, value: resolve(base, value) });
    } else if (key === "sandbox.writable" || key === "sandbox.readable") {
      const paths = (value as string[]).map((one) =>
        resolve(base, one.replace(/^~(?=\/|$)/, home)),
      );
      layer.set(key, { ...entry, value: paths });
    } else if (key.startsWith("extensions.") && isRecord(value) && typeof value.cwd === "string") {
      layer.set(key, { ...entry, value: { ...value, cwd: resolve(base, value.cwd) } });
    }
  }
}

/** Hides the values of headers and variables, because they may be secrets. */
function withoutSecrets(value: JsonValue): JsonValue {
  if (!isRecord(value)) return value;
  const hide = (inner: JsonValue): JsonValue =>
    isRecord(inner)
      ? Object.fromEntries(Object.keys(inner).map((name) => [name, "(hidden)"]))
      : inner;
  const entries = Object.entries(value).map(([key, inner]): [string, JsonValue] =>
    key === "headers" || key === "environment" ? [key, hide(inner)] : [key, inner],
  );
  return Object.fromEntries(entries);
}

function readEnvironment(environment: ConfigRequest["environment"], cwd: string): Layer {
  const given = Object.entries(environmentSettings).flatMap(([name, key]) => {
    const value = environment[name];
    return value === undefined || value === ""
      ? []
      : [createEntry(key, value, `environment ${name}`, cwd)];
  });
  return new Map(given);
}

function readFlags(flags: ConfigFlags, cwd: string): Layer {
  const given = Object.entries(optionSettings).flatMap(([name, { option, key }]) => {
    const value = flags[name as keyof ConfigFlags];
    return value === undefined ? [] : [createEntry(key, value, `the option \`${option}\``, cwd)];
  });
  return new Map(given);
}

function createEntry(
  key: string,
  value: string | boolean | readonly string[],
  origin: string,
  cwd: string,
): [string, LayerEntry] {
  const keys = key.split(".");
  const setting = findSetting(keys) as Setting;
  if (!setting.createSchema([]).safeParse(value).success) {
    const shown = setting.isSecret === true ? "another text" : JSON.stringify(value);
    const message = `Expected ${origin} to be ${setting.expected}; got ${shown}.`;
    const details = { origin, key, ...(setting.isSecret !== true && { value }) };
    throw new CadreError("config-invalid", message, { details });
  }
  const meant = key === "stateDir" ? resolve(cwd, String(value)) : value;
  return [key, { keys, setting, value: meant as JsonValue, origin }];
}
