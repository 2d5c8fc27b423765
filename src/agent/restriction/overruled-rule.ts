import { shorten } from "../field-readers.ts";
import type { Fields, Finding } from "../fields.ts";
import type { OpenCodeRule } from "../opencode-permission.ts";

/**
 * Reports rules of OpenCode that never count, because a later one with another effect is about everything that they are about: of all
 * rules that match, the last one counts there.
 */
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

/** Newer versions put keys with wildcards first, so that those for single actions count. */
function isMoved(later: OpenCodeRule, rule: OpenCodeRule): boolean {
  return later.isKeyed && later.action.includes("*") && later.action !== rule.action;
}

/** Whether a pattern matches all that another one matches. A `?` is one character, and no `*`. */
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
  const message = `\`${own}\` never counts: \`${by}\` comes later and is about the same. In OpenCode the last rule that matches counts.`;
  const fix = `Move \`${own}\` behind \`${by}\`, or remove it.`;
  return { severity: "warning", code: "rule-overruled", message, fix };
}

function givesNothing(rule: OpenCodeRule, later: OpenCodeRule): Finding {
  const [own, by] = [describe(rule), describe(later)];
  const message = `\`${own}\` gives nothing here: \`${by}\` comes later, and versions of OpenCode differ in which of the two counts.`;
  const fix = `Write \`${by}\` before \`${own}\`.`;
  return { severity: "warning", code: "rule-overruled", message, fix };
}

function describe({ action, resource, effect }: OpenCodeRule): string {
  const what = resource === "*" ? action : `${action} ${JSON.stringify(resource)}`;
  return shorten(`${what}: ${effect}`);
}
