import type { Finding } from "../../source/diagnostic.ts";
import type { Fields } from "../fields/fields.ts";
import type { OpenCodeEffect, OpenCodeRule } from "./opencode-permission.ts";
import { isDenied, isQuery, toolRestrictedBy, type OpenCodeDecision } from "./opencode-decision.ts";

/**
 * Reports rules whose effect differs from their appearance: those that can only restrict, and those that Cadre cannot evaluate.
 */
export function reportLess(
  fields: Fields,
  rules: readonly OpenCodeRule[],
  decisions: readonly OpenCodeDecision[],
): void {
  for (const { action, resource, effect, keys } of rules) {
    const restricted = decisions.find(({ tool }) => tool === toolRestrictedBy(action));
    if (effect !== "deny" && restricted !== undefined && isDenied(restricted))
      fields.report(keys, givesNothing(action));
    const searching = decisions.find(({ tool }) => tool.toLowerCase() === action.toLowerCase());
    if (searching === undefined || /^\*+$/.test(resource)) continue;
    if (isQuery(searching.tool, resource) && searching.effect !== "allow")
      fields.report(keys, searchPattern(action, searching.effect));
  }
}

function givesNothing(action: string): Finding {
  const message = `\`${action}\` has no effect in OpenCode: tools that write need \`edit\`, which is denied.`;
  const fix = `Remove \`${action}\`; nothing changes.`;
  return { severity: "warning", code: "action-without-effect", message, fix };
}

function searchPattern(action: string, effect: OpenCodeEffect): Finding {
  const message = `In OpenCode a pattern of \`${action}\` refers to the searched text, which Cadre cannot limit, so every search is ${effect === "ask" ? "asked about" : "denied"}.`;
  const fix = "Limit where it searches with patterns of `read`.";
  return { severity: "warning", code: "pattern-unsupported", message, fix };
}
