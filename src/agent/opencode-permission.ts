import { isRecord, type JsonValue } from "../source/json.ts";
import type { KeyPath } from "../source/place.ts";
import { describeValue, shorten } from "./field-readers.ts";
import type { Fields } from "./fields.ts";

/** What OpenCode does about an action. */
export type OpenCodeEffect = "allow" | "ask" | "deny";

/** One rule of OpenCode; of all that match an action and its resource the last one counts. */
export interface OpenCodeRule {
  action: string;
  resource: string;
  effect: OpenCodeEffect;
  keys: KeyPath;
}

/**
 * The rules of a definition of OpenCode, in the order in which they count, from all its generations: `tools`, a map of
 * names to `true` or `false`; `permission`, a map of actions to effects or to maps of patterns; `permissions`, a list.
 */
export function readOpenCodeRules(fields: Fields): OpenCodeRule[] {
  const permission = readPermissionMap(fields);
  const replaced = new Set(permission.map(({ action }) => action.toLowerCase()));
  const tools = readToolMap(fields).filter(
    // A key of `permission` takes the place of the same one of `tools`; what was off there stays off unless it is let in again.
    ({ action, effect }) => effect === "deny" || !replaced.has(action.toLowerCase()),
  );
  const rules = [...tools, ...permission, ...readPermissionList(fields)];
  return rules.length <= maxRules ? rules : refuseAll(fields, rules);
}

/** The most rules: each one is held against each tool they name. */
const maxRules = 500;

function refuseAll(fields: Fields, rules: readonly OpenCodeRule[]): OpenCodeRule[] {
  const keys = rules.at(-1)?.keys.slice(0, 1) ?? [];
  const message = `Expected at most ${maxRules} rules; got ${rules.length}. Everything is denied instead.`;
  const fix = "Write fewer and wider patterns.";
  fields.report(keys, { severity: "error", code: "too-many-rules", message, fix });
  return [{ action: "*", resource: "*", effect: "deny", keys }];
}

function readToolMap(fields: Fields): OpenCodeRule[] {
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
    return { action, resource: "*", effect: isOn ? "allow" : isAsked ? "ask" : "deny", keys };
  });
  // Whoever must not write must not patch either: OpenCode has one permission for all of it, here it is several tools.
  const denials = rules.filter(
    ({ action, effect }) => effect === "deny" && /^(?:write|patch|multiedit)$/i.test(action),
  );
  const [denial] = denials;
  const hasEdit = rules.some(({ action }) => action.toLowerCase() === "edit");
  const others = rules.filter((rule) => !denials.includes(rule));
  if (denial === undefined || hasEdit) return [...others, ...denials];
  return [...others, { ...denial, action: "edit" }];
}

function readPermissionMap(fields: Fields): OpenCodeRule[] {
  const field = fields.written.get("permission");
  if (field === undefined || field.value === null) return [];
  const { key, value } = field;
  if (Array.isArray(value)) return readList(fields, key, value);
  if (!isRecord(value))
    return [toRule(fields, { action: "*", resource: "*", effect: value, keys: [key] })];
  return Object.entries(value).flatMap(([action, effects]) => {
    const keys = [key, action];
    if (!isRecord(effects))
      return [toRule(fields, { action, resource: "*", effect: effects, keys })];
    return Object.entries(effects).map(([resource, effect]) =>
      toRule(fields, { action, resource, effect, keys: [...keys, resource] }),
    );
  });
}

function readPermissionList(fields: Fields): OpenCodeRule[] {
  const field = fields.written.get("permissions");
  if (field === undefined || field.value === null) return [];
  if (Array.isArray(field.value)) return readList(fields, field.key, field.value);
  const { key, value } = field;
  return [toRule(fields, { action: "*", resource: "*", effect: value, keys: [key] })];
}

function readList(fields: Fields, key: string, list: readonly JsonValue[]): OpenCodeRule[] {
  return list.map((item, index) => {
    const keys = [key, index];
    if (!isRecord(item)) return toRule(fields, { action: "*", resource: "*", effect: item, keys });
    const { action = "*", resource = "*", effect = null } = item;
    const asText = (value: JsonValue): string => (typeof value === "string" ? value : "*");
    return toRule(fields, { action: asText(action), resource: asText(resource), effect, keys });
  });
}

interface WrittenRule {
  action: string;
  resource: string;
  effect: JsonValue;
  keys: KeyPath;
}

/** An effect that is none was meant to restrict something: it denies, and is an error. */
function toRule(fields: Fields, { action, resource, effect, keys }: WrittenRule): OpenCodeRule {
  if (effect === "allow" || effect === "ask" || effect === "deny") {
    return { action, resource, effect, keys };
  }
  if (effect === true || effect === false) {
    return { action, resource, effect: effect ? "allow" : "deny", keys };
  }
  refuse(fields, keys, "`allow`, `ask` or `deny`", effect);
  return { action, resource, effect: "deny", keys };
}

function refuse(fields: Fields, keys: KeyPath, expected: string, value: JsonValue): void {
  const place = keys.join(".");
  const message = `Expected \`${shorten(place)}\` to be ${expected}; got ${describeValue(value)}.`;
  const fix = `Write ${expected} there.`;
  fields.report(keys, { severity: "error", code: "wrong-value", message, fix });
}
