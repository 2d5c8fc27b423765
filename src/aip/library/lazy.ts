import { createRequire } from "node:module";
import type * as Handlebars from "handlebars";
import type * as Toml from "smol-toml";
import type * as Yaml from "yaml";

const load = createRequire(import.meta.url);

// Loaded when a script first needs them: together they take as long as all else a worker does at its start.

/** The YAML library. */
export function yamlLibrary(): typeof Yaml {
  return load("yaml") as typeof Yaml;
}

/** The TOML library. */
export function tomlLibrary(): typeof Toml {
  return load("smol-toml") as typeof Toml;
}

/** The Handlebars library. */
export function handlebarsLibrary(): typeof Handlebars {
  return load("handlebars") as typeof Handlebars;
}
