import { shorten } from "../../source/read-value.ts";
import type { Finding } from "../../source/diagnostic.ts";
import type { Fields } from "../fields/fields.ts";
import type { OpenCodeRule } from "./opencode-permission.ts";

/** Reports OpenCode rules that never count, because a later rule with another effect matches everything that they match. */
export function reportOverruled(fields: Fields, rules: readonly OpenCodeRule[]): void {
  for (const [index, rule] of rules.entries()) {
    const later = rules.slice(index + 1).findLast((other) => overrules(other, rule));
    if (later === undefined || later.effect === rule.effect) continue;
    if (!isMoved(later, rule)) fields.report(rule.keys, neverCounts(rule, later));
    else if (rule.effect !== "deny") fields.report(rule.keys, givesNothing(rule, later));
  }
}

function overrules(later: OpenCodeRule, rule: OpenCodeRule): boolean {
  return covers(later.action, rule.action) && covers(later.resource, rule.resource);
}

/** Newer versions sort keys with wildcards first, so keys of single actions take precedence. */
function isMoved(later: OpenCodeRule, rule: OpenCodeRule): boolean {
  return later.isKeyed && later.action.includes("*") && later.action !== rule.action;
}

/** Reports whether a pattern matches everything that another one matches. A `?` is one character, and never a `*`. */
function covers(pattern: string, other: string): boolean {
  let [at, star, tried] = [0, -1, 0];
  for (let index = 0; index < other.length;) {
    const sign = pattern[at];
    if (sign === "*") [star, tried, at] = [at, index, at + 1];
    else if (sign === other[index] || (sign === "?" && other[index] !== "*")) {
      at += 1;
      index += 1;
    } else if (star === -1) return false;
    else [at, tried, index] = [star + 1, tried + 1, tried + 1];
  }
  return /^\**$/.test(pattern.slice(at));
}

function neverCounts(rule: OpenCodeRule, later: OpenCodeRule): Finding {
  const [own, by] = [describe(rule), describe(later)];
  const message = `\`${own}\` never counts: \`${by}\` comes later and matches the same. In OpenCode the last matching rule counts.`;
  const fix = `Move \`${own}\` after \`${by}\`, or remove it.`;
  return { severity: "warning", code: "rule-overruled", message, fix };
}

function givesNothing(rule: OpenCodeRule, later: OpenCodeRule): Finding {
  const [own, by] = [describe(rule), describe(later)];
  const message = `\`${own}\` has no effect: \`${by}\` comes later, and versions of OpenCode differ in which of the two counts.`;
  const fix = `Write \`${by}\` before \`${own}\`.`;
  return { severity: "warning", code: "rule-overruled", message, fix };
}

function describe({ action, resource, effect }: OpenCodeRule): string {
  const what = resource === "*" ? action : `${action} ${JSON.stringify(resource)}`;
  return shorten(`${what}: ${effect}`);
}
