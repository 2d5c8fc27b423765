import type { z } from "zod";
import { createMatcher, hookEvents } from "../../run/hook/hook-commands.ts";
import { closedObject } from "../../source/closed-object.ts";
import { checked, listField, nonEmptyText, number, oneOf } from "./field.ts";

const matcher = (): z.ZodType =>
  checked((value) => {
    if (typeof value !== "string") return "expected names such as `Edit|Write`";
    try {
      createMatcher({ matcher: value });
      return null;
    } catch {
      return `expected names such as \`Edit|Write\` or a regular expression, got ${JSON.stringify(value)}`;
    }
  });

/** Creates the schema of \`hooks\` of an agent given in code: commands for events. */
export function agentHooks(): z.ZodType {
  const command = closedObject({
    command: nonEmptyText,
    args: listField(
      checked((value) => (typeof value === "string" ? null : "expected text")),
      "texts",
    ).optional(),
    shell: oneOf(["bash"]).optional(),
    timeoutSeconds: number("a number of seconds from 0.001 to 86400", 0.001, 86_400).optional(),
  });
  const groups = listField(
    closedObject({
      matcher: matcher().optional(),
      hooks: listField(command, 'commands such as `{ command: "./check.sh" }`'),
    }),
    "groups of commands",
  );
  return closedObject(Object.fromEntries(hookEvents.map((event) => [event, groups.optional()])));
}
