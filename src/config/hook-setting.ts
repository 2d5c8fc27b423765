import { z } from "zod";
import type { HookEvent, HookGroup } from "../run/hook/hook-commands.ts";
import { readHookGroups } from "../run/hook/read-hook-commands.ts";
import type { JsonValue } from "../source/json.ts";

/** Creates the schema of the commands of one event. In the configuration, anything without effect is an error. */
export function hookGroups(event: HookEvent): z.ZodType<HookGroup[]> {
  return z.unknown().transform((value, context): HookGroup[] =>
    readHookGroups(value as JsonValue, {
      event,
      keys: [],
      report(path, { message }) {
        context.addIssue({ code: "custom", path: [...path], message: message.replace(/\.$/, "") });
      },
    }),
  );
}
