/** Libraries that load on first use. Together they take as long to load as the rest of a worker's start. */

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
