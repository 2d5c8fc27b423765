import { describeRuleProblem } from "../run/permission-rule.ts";
import type { OrderedRule, PermissionMode, PermissionRules } from "../run/permission.ts";
import { isRecord, type JsonObject, type JsonValue } from "../source/json.ts";
import type { KeyPath } from "../source/place.ts";
import { readFlag, readObject } from "./field-readers.ts";
import type { Fields } from "./fields.ts";

const decisions = ["allow", "ask", "deny"] as const;

/**
 * The permission rules of a definition: `allow`, `ask` and `deny` with lists of rules, and `ordered` with a list of such
 * entries as `deny: Bash`. A rule that cannot be understood is an error:
 * the agent cannot be used until it is mended.
 */
export function readPermissions(fields: Fields): PermissionRules | undefined {
  const written = readObject(fields, "permissions");
  const key = fields.written.get("permissions")?.key ?? "permissions";
  if (written === undefined) return undefined;
  for (const name of Object.keys(written)) {
    if (name !== "ordered" && !decisions.some((known) => known === name))
      refuseKey(fields, [key, name]);
  }
  const read = (name: (typeof decisions)[number]): string[] =>
    readRules(fields, written, [key, name]);
  const ordered = readOrdered(fields, written, [key, "ordered"]);
  const rules = { allow: read("allow"), ask: read("ask"), deny: read("deny") };
  return ordered.length > 0 ? { ...rules, ordered } : rules;
}

/** The mode of an agent: `plan` where its file says that it only reads, whatever else it says. */
export function restrictMode(fields: Fields, mode?: PermissionMode): PermissionMode | undefined {
  if (readFlag(fields, "readOnly") !== true) return mode;
  fields.lines.permissionMode = fields.lines.readOnly ?? 1;
  return "plan";
}

/** The rules of two sources, both in effect; of the ordered ones the second's come last. */
export function joinPermissions(
  first: PermissionRules | undefined,
  second: PermissionRules | undefined,
): PermissionRules | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  const ordered = [...(first.ordered ?? []), ...(second.ordered ?? [])];
  return {
    allow: [...first.allow, ...second.allow],
    ask: [...first.ask, ...second.ask],
    deny: [...first.deny, ...second.deny],
    ...(ordered.length > 0 ? { ordered } : {}),
  };
}

function readRules(fields: Fields, written: JsonObject, keys: [string, string]): string[] {
  const value = written[keys[1]];
  if (value === undefined || value === null) return [];
  const list = Array.isArray(value) ? value : [value];
  return list.flatMap((item, index) => readRule(fields, item, [...keys, index]) ?? []);
}

function readOrdered(fields: Fields, written: JsonObject, keys: [string, string]): OrderedRule[] {
  const value = written[keys[1]];
  if (value === undefined || value === null) return [];
  const list = Array.isArray(value) ? value : [value];
  return list.flatMap((item, index): OrderedRule[] => {
    const [entry, ...more] = isRecord(item) ? Object.entries(item) : [];
    const decision = decisions.find((one) => one === entry?.[0]);
    if (entry === undefined || decision === undefined || more.length > 0) {
      refuse(fields, [...keys, index], "an entry such as `deny: Bash` or `allow: Bash(git:*)`");
      return [];
    }
    const rule = readRule(fields, entry[1], [...keys, index]);
    return rule === null ? [] : [{ decision, rule }];
  });
}

function readRule(fields: Fields, value: JsonValue, keys: KeyPath): string | null {
  if (typeof value !== "string") return refuse(fields, keys, "a rule such as `Bash(git:*)`");
  const problem = describeRuleProblem(value);
  if (problem === null) return value;
  const fix = "Write a rule such as `Bash(git:*)`, `Read(src/**)` or `mcp__server__*`.";
  fields.report(keys, { severity: "error", code: "rule-invalid", message: problem, fix });
  return null;
}

function refuseKey(fields: Fields, keys: KeyPath): void {
  const message = `\`${keys.join(".")}\` is not a list of rules that is known (allow, ask, deny, ordered).`;
  const fix = "Write `deny:` and a list of rules.";
  fields.report(keys, { severity: "error", code: "unknown-key", message, fix });
}

function refuse(fields: Fields, keys: KeyPath, expected: string): null {
  const message = `Expected \`${keys.join(".")}\` to be ${expected}.`;
  fields.report(keys, {
    severity: "error",
    code: "wrong-type",
    message,
    fix: `Write ${expected}.`,
  });
  return null;
}
