import type { LuaValue } from "../../lua/lua-value.ts";
import type { AskHost } from "../arguments.ts";
import { contentOf } from "./file-content.ts";

/**
 * Writes the result of `change` on a file's content (`undefined`: no file). When another writer replaced the file in the
 * meantime, calls `change` again with the new content, so that no change is lost.
 *
 * @param change returns a `content` of `undefined` to leave the file unchanged.
 *
 * @returns the last result of `change`, and as `info` the host's description of the written file.
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
