import type { HookCommands } from "../../run/hook/hook-commands.ts";
import { readHookCommands } from "../../run/hook/read-hook-commands.ts";
import { readObject } from "./field-readers.ts";
import type { Fields } from "./fields.ts";

/** Reads `hooks` of an agent file: commands that are called at points of its runs. */
export function readHooks(fields: Fields): HookCommands | undefined {
  const written = readObject(fields, "hooks");
  if (written === undefined) return undefined;
  const key = fields.written.get("hooks")?.key ?? "hooks";
  const hooks = readHookCommands(written, (keys, finding) =>
    fields.report([key, ...keys], finding),
  );
  return Object.keys(hooks).length === 0 ? undefined : hooks;
}
