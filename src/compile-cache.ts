import { existsSync } from "node:fs";
import module from "node:module";
import { isAbsolute, join } from "node:path";

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
