// Loaded on first use: together they take as long as everything else at the start of a worker.

import { loadLazily } from "../../../source/load-lazily.ts";
import type * as Handlebars from "./handlebars-library.ts";
import type * as Toml from "./toml-library.ts";
import type * as Yaml from "./yaml-library.ts";

/** The YAML library. */
export function yamlLibrary(): typeof Yaml {
  return loadLazily("./yaml-library", import.meta.url) as typeof Yaml;
}

/** The TOML library. */
export function tomlLibrary(): typeof Toml {
  return loadLazily("./toml-library", import.meta.url) as typeof Toml;
}

/** The Handlebars library. */
export function handlebarsLibrary(): typeof Handlebars.handlebars {
  const library = loadLazily("./handlebars-library", import.meta.url) as typeof Handlebars;
  return library.handlebars;
}
