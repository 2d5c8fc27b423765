// `createCadre`, and those of its functions that execute no runs.

import { homedir } from "node:os";
import { resolve } from "node:path";
import { enableCompileCache } from "../../compile-cache.ts";
import { isRecord } from "../../source/json.ts";
import type { Cadre, CadreOptions } from "../cadre.ts";

/**
 * Opens Cadre for a project. It reads only the configuration and writes nothing before the first run, with two exceptions: it
 * moves a registry that an earlier version stored in the project, and undoes changes to control files by commands of a killed
 * Cadre. `configuration.diagnostics` reports both.
 *
 * @throws CadreError `config-invalid` for a tool, an option or a variable with a wrong value, `definition-invalid` for an agent
 * given in code, `invalid-argument` when `cwd` is not a folder.
 */
export async function createCadre(options: CadreOptions = {}): Promise<Cadre> {
  // Only developers of Cadre run the sources, and change them often.
  if (!import.meta.url.endsWith(".ts")) enableCompileCache(findUser(options));
  // Node caches the compiled code of modules that are loaded from here on.
  const { buildCadre } = await import("./build-cadre.ts");
  return await buildCadre(options);
}

/** Returns the home and the cache folder of `options`, which are not checked yet. */
function findUser(options: unknown): Parameters<typeof enableCompileCache>[0] {
  const { home, environment = process.env } = isRecord(options) ? options : {};
  const cache = isRecord(environment) ? environment["XDG_CACHE_HOME"] : undefined;
  return {
    home: typeof home === "string" ? resolve(home) : homedir(),
    environment: typeof cache === "string" ? { XDG_CACHE_HOME: cache } : {},
  };
}
