import type { Fields, Finding } from "./fields.ts";
import type { OpenCodeEffect, OpenCodeRule } from "./opencode-permission.ts";
import { isOut, isQuery, toolRestrictedBy, type Verdict } from "./opencode-verdict.ts";

/** Reports rules that give less than they seem to: those that only restrict, and those about what cannot be known here. */
export function reportLess(
  fields: Fields,
  rules: readonly OpenCodeRule[],
  verdicts: readonly Verdict[],
): void {
  for (const { action, resource, effect, keys } of rules) {
    const restricted = verdicts.find(({ tool }) => tool === toolRestrictedBy(action));
    if (effect !== "deny" && restricted !== undefined && isOut(restricted))
      fields.report(keys, givesNothing(action));
    const searching = verdicts.find(({ tool }) => tool.toLowerCase() === action.toLowerCase());
    if (searching === undefined || /^\*+$/.test(resource)) continue;
    if (isQuery(searching.tool, resource) && searching.effect !== "allow")
      fields.report(keys, searchPattern(action, searching.effect));
  }
}

function givesNothing(action: string): Finding {
  const message = `\`${action}\` gives nothing in OpenCode: all that writes and patches needs \`edit\`, which is denied.`;
  const fix = `Remove \`${action}\`: nothing changes by that.`;
  return { severity: "warning", code: "action-without-effect", message, fix };
}

function searchPattern(action: string, effect: OpenCodeEffect): Finding {
  const message = `In OpenCode a pattern of \`${action}\` is about what is searched for, which cannot be told here: every search is ${effect === "ask" ? "asked about" : "denied"}.`;
  const fix = "Limit where it searches by patterns of `read`, in place of what it searches for.";
  return { severity: "warning", code: "pattern-unsupported", message, fix };
}
