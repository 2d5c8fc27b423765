import {
  describeAbsentTool,
  describeRuleProblem,
  isForAbsentTool,
} from "../../run/permission-rule.ts";
import type { OrderedRule, PermissionRules } from "../../run/permission.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../source/json.ts";
import type { KeyPath } from "../../source/position.ts";
import type { Fields } from "../fields/fields.ts";
import { translateRule } from "../tools/translate-rule.ts";

const decisions = ["allow", "ask", "deny"] as const;

type Decision = (typeof decisions)[number];

/** Keys of Claude Code's settings that are among its rules but are not lists. */
const otherKeys: ReadonlySet<string> = new Set(["ordered", "defaultMode", "additionalDirectories"]);

/** The translation of a rule: Cadre's rules, or none and the problem. */
type ReadRule = (
  text: string,
  context: { decision: Decision; ownTools: readonly string[] },
) => { rules: string[]; problem?: string };

/** Reports whether a value has lists of rules, as in Cadre and Claude Code, and not effects by action, as in OpenCode. */
export function isRuleLists(value: JsonValue): value is JsonObject {
  if (!isRecord(value)) return false;
  const isOwnKey = (key: string): boolean =>
    otherKeys.has(key) || decisions.some((one) => one === key);
  const entries = Object.entries(value);
  return entries.some(([key]) => isOwnKey(key)) || entries.every(([, one]) => Array.isArray(one));
}

/**
 * Reads the permission rules of one field: lists `allow`, `ask` and `deny`, and `ordered` with entries such as `deny: Bash`. An
 * invalid rule is an error, so the agent cannot be used. Rules in Cadre's own format are used verbatim; rules of other formats
 * are translated.
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
  const { ownTools } = fields;
  const { rules, problem } = readRule(item, { decision, ownTools });
  if (problem !== undefined && decision === "allow" && isForAbsentTool(item, ownTools)) {
    const finding = {
      severity: "warning",
      code: "unknown-tool",
      fix: "Correct the name, or remove the rule.",
    } as const;
    fields.report(keys, { ...finding, message: describeAbsentTool(item) });
    return [item];
  }
  if (problem !== undefined) {
    const fix = "Write a rule such as `Bash(git:*)`, `Read(src/**)` or `mcp__server__*`.";
    fields.report(keys, { severity: "error", code: "rule-invalid", message: problem, fix });
  }
  return rules;
}

function takeRule(
  text: string,
  { ownTools }: { ownTools: readonly string[] },
): { rules: string[]; problem?: string } {
  const problem = describeRuleProblem(text, ownTools);
  return problem === null ? { rules: [text] } : { rules: [], problem };
}

function refuseKey(fields: Fields, keys: KeyPath): void {
  const message = `\`${keys.join(".")}\` is not a known list of rules (allow, ask, deny, ordered).`;
  const fix = "Write `deny:` and a list of rules.";
  fields.report(keys, { severity: "error", code: "unknown-key", message, fix });
}

function refuse(fields: Fields, keys: KeyPath, expected: string): void {
  const message = `Expected \`${keys.join(".")}\` to be ${expected}.`;
  const fix = `Write ${expected}.`;
  fields.report(keys, { severity: "error", code: "wrong-type", message, fix });
}
