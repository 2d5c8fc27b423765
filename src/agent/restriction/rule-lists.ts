import { describeRuleProblem } from "../../run/permission-rule.ts";
import type { OrderedRule, PermissionRules } from "../../run/permission.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../source/json.ts";
import type { KeyPath } from "../../source/place.ts";
import type { Fields } from "../fields.ts";
import { translateRule } from "./translate-rule.ts";

const decisions = ["allow", "ask", "deny"] as const;

type Decision = (typeof decisions)[number];

/** Keys of Claude Code's settings that stand among its rules and are no lists of rules. */
const otherKeys: ReadonlySet<string> = new Set(["ordered", "defaultMode", "additionalDirectories"]);

/** What a rule of a file stands for: rules of Cadre, or nothing and what is wrong. */
type ReadRule = (text: string, decision: Decision) => { rules: string[]; problem?: string };

/** Whether a value has lists of rules (Cadre, Claude Code), and no effects by action (OpenCode). */
export function isRuleLists(value: JsonValue): value is JsonObject {
  if (!isRecord(value)) return false;
  const isOwnKey = (key: string): boolean =>
    otherKeys.has(key) || decisions.some((one) => one === key);
  const entries = Object.entries(value);
  return entries.some(([key]) => isOwnKey(key)) || entries.every(([, one]) => Array.isArray(one));
}

/**
 * The permission rules of one field: `allow`, `ask` and `deny` with lists of rules, and `ordered` with a list of such entries as
 * `deny: Bash`. A rule that cannot be understood is an error: the agent cannot be used until it is mended. Rules of a file of
 * Cadre's own are taken as they are, others in the words of other programs.
 */
export function readRuleLists(
  fields: Fields,
  { key, value }: { key: string; value: JsonObject },
  isOwnFormat: boolean,
): PermissionRules {
  for (const name of Object.keys(value)) {
    if (!otherKeys.has(name) && !decisions.some((known) => known === name))
      refuseKey(fields, [key, name]);
  }
  const list = { fields, written: value, readRule: isOwnFormat ? takeRule : translateRule };
  const read = (name: Decision): string[] => readList(list, name, [key, name]);
  const ordered = readOrdered(list, [key, "ordered"]);
  const rules = { allow: read("allow"), ask: read("ask"), deny: read("deny") };
  return ordered.length > 0 ? { ...rules, ordered } : rules;
}

interface RuleList {
  fields: Fields;
  written: JsonObject;
  readRule: ReadRule;
}

function readList(list: RuleList, decision: Decision, keys: [string, string]): string[] {
  return itemsOf(list.written[keys[1]]).flatMap((item, index) =>
    readOne(list, { item, decision, keys: [...keys, index] }),
  );
}

function readOrdered(list: RuleList, keys: [string, string]): OrderedRule[] {
  return itemsOf(list.written[keys[1]]).flatMap((item, index): OrderedRule[] => {
    const [entry, ...more] = isRecord(item) ? Object.entries(item) : [];
    const decision = decisions.find((one) => one === entry?.[0]);
    if (entry === undefined || decision === undefined || more.length > 0) {
      const expected = "an entry such as `deny: Bash` or `allow: Bash(git:*)`";
      refuse(list.fields, [...keys, index], expected);
      return [];
    }
    const rules = readOne(list, { item: entry[1], decision, keys: [...keys, index] });
    return rules.map((rule) => ({ decision, rule }));
  });
}

function itemsOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function readOne(
  { fields, readRule }: RuleList,
  { item, decision, keys }: { item: JsonValue; decision: Decision; keys: KeyPath },
): string[] {
  if (typeof item !== "string") {
    refuse(fields, keys, "a rule such as `Bash(git:*)`");
    return [];
  }
  const { rules, problem } = readRule(item, decision);
  if (problem !== undefined) {
    const fix = "Write a rule such as `Bash(git:*)`, `Read(src/**)` or `mcp__server__*`.";
    fields.report(keys, { severity: "error", code: "rule-invalid", message: problem, fix });
  }
  return rules;
}

function takeRule(text: string): { rules: string[]; problem?: string } {
  const problem = describeRuleProblem(text);
  return problem === null ? { rules: [text] } : { rules: [], problem };
}

function refuseKey(fields: Fields, keys: KeyPath): void {
  const message = `\`${keys.join(".")}\` is not a list of rules that is known (allow, ask, deny, ordered).`;
  const fix = "Write `deny:` and a list of rules.";
  fields.report(keys, { severity: "error", code: "unknown-key", message, fix });
}

function refuse(fields: Fields, keys: KeyPath, expected: string): void {
  const message = `Expected \`${keys.join(".")}\` to be ${expected}.`;
  const fix = `Write ${expected}.`;
  fields.report(keys, { severity: "error", code: "wrong-type", message, fix });
}
