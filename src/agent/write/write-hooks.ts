import { omitUndefined } from "../../omit-undefined.ts";
import type { HookCommands } from "../../run/hook/hook-commands.ts";
import type { JsonObject } from "../../source/json.ts";

/** Writes hooks in the form that Claude Code and Cadre read. */
export function writeHooks(commands: HookCommands): JsonObject {
  const events = Object.entries(commands).map(([event, groups]) => [
    event,
    groups.map(({ matcher, hooks }) => ({
      ...omitUndefined({ matcher }),
      hooks: hooks.map(({ command, args, shell, timeoutSeconds }) => ({
        type: "command",
        command,
        ...omitUndefined({ args: args && [...args], shell, timeout: timeoutSeconds }),
      })),
    })),
  ]);
  return { hooks: Object.fromEntries(events) as JsonObject };
}
