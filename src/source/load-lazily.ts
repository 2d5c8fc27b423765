import { createRequire } from "node:module";

/**
 * Loads a module in the middle of a synchronous call, for packages that most processes never need. The module is named
 * `*-library`: the build keeps such modules, with the packages that they import, in separate files.
 *
 * @param path - The path of the module relative to the caller, without its extension, such as `./yaml-library`.
 * @param caller - `import.meta.url` of the caller.
 */
export function loadLazily(path: string, caller: string): unknown {
  // Built code is JavaScript; sources run as TypeScript.
  const extension = new URL(caller).pathname.endsWith(".ts") ? "ts" : "js";
  return createRequire(caller)(`${path}.${extension}`);
}
