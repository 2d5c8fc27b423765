import { existsSync } from "node:fs";
import module from "node:module";
import { dirname, isAbsolute, join } from "node:path";

/** Whose cache it is. */
interface User {
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Makes Node cache compiled code of all modules loaded from now on. The cache is in the user's own cache folder: in the shared
 * temporary folder, Node's default, it could contain code of other users. Does nothing if this process already
 * has such a cache.
 */
export function enableCompileCache({ home, environment }: User): void {
  const { XDG_CACHE_HOME: cache = join(home, ".cache") } = environment;
  // A relative path leads into the working folder, which could be anybody's too; a home that does not exist is not made.
  const isUsable = isAbsolute(cache) && existsSync(home);
  // Deno has no such function.
  if (isUsable) (module as Partial<typeof module>).enableCompileCache?.(join(cache, "cadre"));
}

/**
 * The environment of a thread that has none but for the compile cache of this process. A thread does not inherit the cache: it
 * would compile its code at each start, and strip the types of sources.
 */
export function threadEnvironment(): { NODE_COMPILE_CACHE?: string } {
  // Deno has no such function. The folder of a version of Node is in the folder that the process chose.
  const folder = (module as Partial<typeof module>).getCompileCacheDir?.();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
