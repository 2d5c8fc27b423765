import { existsSync } from "node:fs";
import module from "node:module";
import { dirname, isAbsolute, join } from "node:path";

/** The user whose cache is used. */
interface User {
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Makes Node cache the compiled code of all modules loaded later. The cache is in the user's own cache folder: Node's default, the
 * shared temporary folder, could contain code of other users. Does nothing if this process already has such a cache.
 */
export function enableCompileCache({ home, environment }: User): void {
  const { XDG_CACHE_HOME: cache = join(home, ".cache") } = environment;
  // A relative path leads into the working folder, which could belong to anyone. A missing home folder is not created.
  const isUsable = isAbsolute(cache) && existsSync(home);
  // Deno lacks this function.
  if (isUsable) (module as Partial<typeof module>).enableCompileCache?.(join(cache, "cadre"));
}

/**
 * Returns the environment of a thread that needs no variables: only the compile cache of this process. A thread does not inherit the
 * cache, so it would strip types and compile its code at each start.
 */
export function threadEnvironment(): { NODE_COMPILE_CACHE?: string } {
  // Deno has no such function. The folder of a version of Node is in the folder that the process chose.
  const folder = (module as Partial<typeof module>).getCompileCacheDir?.();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
