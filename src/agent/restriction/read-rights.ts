import type { Budget } from "../../run/budget.ts";
import type { PermissionMode } from "../../run/permission.ts";
import { isRecord } from "../../source/json.ts";
import { readDisabled } from "../common-fields.ts";
import { readList, readNumber } from "../field-readers.ts";
import type { Field, Fields } from "../fields.ts";
import { type OpenCodeRule, readOpenCodeRules } from "../opencode-permission.ts";
import { toToolChoice } from "../opencode-tools.ts";
import { joinChoices, type ToolChoice } from "../tool-choice.ts";
import { readToolChoice } from "../tool-list.ts";
import { readBudget } from "./read-budget.ts";
import { readMode } from "./read-mode.ts";
import { readPolicy } from "./read-policy.ts";
import { isRuleLists, readRuleLists } from "./rule-lists.ts";

/** What an agent may do, and how much of it. */
export interface Rights extends ToolChoice {
  permissionMode?: PermissionMode | undefined;
  disabled?: true | undefined;
  maxTurns?: number | undefined;
  maxDepth?: number | undefined;
  budget?: Budget | undefined;
}

/** How a format differs from the others. */
interface RightsOptions {
  /** Its list of tools. Absent = read as everywhere. */
  choice?: ToolChoice;
  /** Its map of tools, as OpenCode has one. */
  toolMap?: readonly OpenCodeRule[];
  /** Its rules are Cadre's own, and taken as they are. Default `false`. */
  isOwnFormat?: boolean;
}

/**
 * Reads everything that restricts an agent, in the words of any program: a file is held to it whichever program it is for. What
 * cannot be understood is an error.
 */
export function readRights(fields: Fields, options: RightsOptions = {}): Rights {
  const { choice = readToolChoice(fields), isOwnFormat = false, toolMap = [] } = options;
  const rules = toToolChoice(fields, readOpenCodeRules(withoutRuleLists(fields), toolMap));
  noteLines(fields, rules);
  const parts = [choice, rules, readPolicy(fields), readAgents(fields)];
  return {
    ...[...parts, ...readLists(fields, isOwnFormat)].reduce(joinChoices),
    permissionMode: readMode(fields),
    disabled: readDisabled(fields),
    maxTurns: readNumber(fields, "maxTurns", { min: 1, max: 10_000, isWhole: true }),
    maxDepth: readNumber(fields, "maxDepth", { min: 0, max: 100, isWhole: true }),
    budget: readBudget(fields),
  };
}

const ruleFields = ["permission", "permissions"] as const;

/** The lists of rules under either key: people mix the two up. */
function readLists(fields: Fields, isOwnFormat: boolean): ToolChoice[] {
  return ruleFields.flatMap((name): ToolChoice[] => {
    const { key = name, value = null } = fields.written.get(name) ?? {};
    if (!isRuleLists(value)) return [];
    fields.lines.permissions ??= fields.lines[name] ?? 1;
    return [{ permissions: readRuleLists(fields, { key, value }, isOwnFormat) }];
  });
}

/** What is left under these keys is in the words of OpenCode. */
function withoutRuleLists(fields: Fields): Fields {
  const isOther = ([name, { value }]: [string, Field]): boolean =>
    !ruleFields.some((one) => one === name) || !isRuleLists(value);
  return { ...fields, written: new Map([...fields.written].filter(isOther)) };
}

/** Fields that come from effects by action stand where those stand. */
function noteLines(fields: Fields, choice: ToolChoice): void {
  const { lines } = fields;
  const line = lines.permission ?? lines.permissions ?? lines.tools;
  for (const name of ["tools", "disallowedTools", "permissions", "agents"] as const) {
    if (choice[name] !== undefined && line !== undefined) lines[name] ??= line;
  }
}

/** The agents it may delegate to; `*` is all of them. */
function readAgents(fields: Fields): ToolChoice {
  if (isRecord(fields.written.get("agents")?.value)) return {};
  const agents = readList(fields, "agents");
  return agents === undefined || agents.includes("*") ? {} : { agents };
}
