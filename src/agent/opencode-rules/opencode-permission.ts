// OpenCode's permission rules, translated to Cadre's.

import { isRecord, type JsonValue } from "../../source/json.ts";
import type { KeyPath } from "../../source/position.ts";
import { describeValue, shorten } from "../../source/read-value.ts";
import type { Fields } from "../fields/fields.ts";

/** The effect of a rule of OpenCode. */
export type OpenCodeEffect = "allow" | "ask" | "deny";

/** A rule of OpenCode. The last rule that matches an action and its resource counts. */
export interface OpenCodeRule {
  action: string;
  resource: string;
  effect: OpenCodeEffect;
  keys: KeyPath;
  /** Whether it is from a map, which newer versions of OpenCode sort, wildcards first. */
  isKeyed: boolean;
}

/**
 * Returns the rules of an OpenCode definition in order of evaluation. They come from `tools`, a map of names to booleans;
 * `permission`, a map of actions to effects or to maps of patterns; and `permissions`, a list.
 */
export function readOpenCodeRules(
  fields: Fields,
  toolMap: readonly OpenCodeRule[],
): OpenCodeRule[] {
  const written = [
    ...readPermission(fields, "permission"),
    ...readPermission(fields, "permissions"),
  ];
  const keyed = written.filter(({ isKeyed }) => isKeyed);
  const rules = [...mergeMaps(toolMap, keyed), ...written.filter(({ isKeyed }) => !isKeyed)];
  return rules.length <= maxRules ? rules : refuseAll(fields, rules);
}

/** The maximum number of rules in a definition. Each is matched against each tool. */
const maxRules = 500;

function refuseAll(fields: Fields, rules: readonly OpenCodeRule[]): OpenCodeRule[] {
  const keys = rules.at(-1)?.keys.slice(0, 1) ?? [];
  const message = `Expected at most ${maxRules} rules; got ${rules.length}. Everything is denied instead.`;
  const fix = "Write fewer and wider patterns.";
  fields.report(keys, { severity: "error", code: "too-many-rules", message, fix });
  return [{ action: "*", resource: "*", effect: "deny", keys, isKeyed: false }];
}

/**
 * Replaces rules of `tools` with those for the same key in `permission`, at the same position. A tool that `tools` turns off
 * stays off unless a rule allows it again.
 */
function mergeMaps(
  tools: readonly OpenCodeRule[],
  permission: readonly OpenCodeRule[],
): OpenCodeRule[] {
  const replaced = new Set(permission.map(({ action }) => action));
  const left = tools.filter(({ action, effect }) => effect === "deny" || !replaced.has(action));
  const order = [...tools, ...permission].map(({ action }) => action);
  const byAction = Map.groupBy([...left, ...permission], ({ action }) => action);
  return [...new Set(order)].flatMap((action) => byAction.get(action) ?? []);
}

/** Older names of tools that need the permission `edit`. */
const editTools: ReadonlySet<string> = new Set(["edit", "write", "patch"]);

/** Returns the rules of `tools` as a map of names to booleans. */
export function readToolMap(fields: Fields): OpenCodeRule[] {
  const field = fields.written.get("tools");
  if (field === undefined || !isRecord(field.value)) return [];
  const { key, value: tools } = field;
  const rules = Object.entries(tools).map(([action, value]): OpenCodeRule => {
    const isOn = value === true || value === "true" || value === "allow";
    const isAsked = value === "ask";
    const keys = [key, action];
    if (!isOn && !isAsked && value !== false && value !== "false" && value !== "deny") {
      refuse(fields, keys, "`true` or `false`", value);
    }
    const effect = isOn ? "allow" : isAsked ? "ask" : "deny";
    return { action, resource: "*", effect, keys, isKeyed: true };
  });
  const edits = rules.filter(({ action }) => editTools.has(action.toLowerCase()));
  const isOwn = ({ action }: OpenCodeRule): boolean => action.toLowerCase() === "edit";
  const isOff = ({ effect }: OpenCodeRule): boolean => effect === "deny";
  // In OpenCode the last of these switches counts for all of them. Here each switch also turns off its own tool.
  const edit = edits.find((rule) => isOwn(rule) && isOff(rule)) ?? edits.at(-1);
  if (edit === undefined) return rules;
  const off = edits.filter((rule) => isOff(rule) && !isOwn(rule));
  const first = rules.findIndex((rule) => edits.includes(rule));
  const others = rules.slice(first).filter((rule) => !edits.includes(rule));
  return [...rules.slice(0, first), { ...edit, action: "edit" }, ...off, ...others];
}

/** Returns the rules of `permission` or `permissions`: a map, a list, or one effect for everything. */
function readPermission(fields: Fields, name: "permission" | "permissions"): OpenCodeRule[] {
  const field = fields.written.get(name);
  if (field === undefined || field.value === null) return [];
  const { key, value } = field;
  if (Array.isArray(value)) return readList(fields, key, value);
  if (!isRecord(value)) return [toRule(fields, { effect: value, keys: [key] })];
  return Object.entries(value).flatMap(([action, effects]) => {
    const keys = [key, action];
    const isKeyed = true;
    if (!isRecord(effects)) return [toRule(fields, { action, effect: effects, keys, isKeyed })];
    return Object.entries(effects).map(([resource, effect]) =>
      toRule(fields, { action, resource, effect, keys: [...keys, resource], isKeyed }),
    );
  });
}

function readList(fields: Fields, key: string, list: readonly JsonValue[]): OpenCodeRule[] {
  return list.map((item, index) => {
    const keys = [key, index];
    if (!isRecord(item)) return toRule(fields, { effect: item, keys });
    const { action, resource, effect = null } = item;
    return toRule(fields, { action: toText(action), resource: toText(resource), effect, keys });
  });
}

function toText(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "*";
}

interface WrittenRule {
  action?: string;
  resource?: string;
  effect: JsonValue;
  keys: KeyPath;
  isKeyed?: boolean;
}

/** Treats an invalid effect as `deny`, with an error, because it was meant to restrict something. */
function toRule(fields: Fields, written: WrittenRule): OpenCodeRule {
  const { action = "*", resource = "*", effect, keys, isKeyed = false } = written;
  const rule = { action, resource, keys, isKeyed };
  if (effect === "allow" || effect === "ask" || effect === "deny") return { ...rule, effect };
  if (typeof effect === "boolean") return { ...rule, effect: effect ? "allow" : "deny" };
  refuse(fields, keys, "`allow`, `ask` or `deny`", effect);
  return { ...rule, effect: "deny" };
}

function refuse(fields: Fields, keys: KeyPath, expected: string, value: JsonValue): void {
  const place = keys.join(".");
  const message = `Expected \`${shorten(place)}\` to be ${expected}; got ${describeValue(value)}.`;
  const [pattern] = Array.isArray(value) ? value : [];
  const fix =
    typeof pattern === "string" && /^(?:allow|ask|deny)$/.test(String(keys.at(-1)))
      ? `Write each pattern as a key: \`${JSON.stringify(pattern)}: ${keys.at(-1)}\`.`
      : `Write ${expected} there.`;
  fields.report(keys, { severity: "error", code: "wrong-value", message, fix });
}
