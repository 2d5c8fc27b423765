import type { LuaValue } from "../lua-value.ts";
import type { AskHost } from "./arguments.ts";
import { contentOf } from "./file-content.ts";

/**
 * Writes to a file what `change` makes of its content (`undefined`: there is no file). When another writer replaced the file
 * meanwhile, `change` is called again with the new content, so that no change is lost.
 *
 * @param change gives a `content` of `undefined` to leave the file as it is.
 * @returns the last answer of `change`, and as `info` what the host says of the file it wrote.
 */
export function changeFile<Change extends { content: string | undefined }>(
  ask: AskHost,
  path: string,
  change: (before: string | undefined) => Change,
): Change & { info: LuaValue } {
  for (;;) {
    const base = ask("path.kind", path) === null ? null : ask("file.hash", path, "sha256");
    const made = change(base === null ? undefined : contentOf(ask, path));
    if (made.content === undefined) return { ...made, info: undefined };
    const info = ask("file.write", path, made.content, "replace", base);
    if (info !== false) return { ...made, info };
  }
}
