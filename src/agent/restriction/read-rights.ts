// Restrictions in agent files, in the syntax of any program.

import type { Budget } from "../../run/budget.ts";
import type { PermissionMode } from "../../run/permission.ts";
import { isRecord } from "../../source/json.ts";
import { readDisabled } from "../fields/common-fields.ts";
import { readList, readNumber } from "../fields/field-readers.ts";
import type { Field, Fields } from "../fields/fields.ts";
import { type OpenCodeRule, readOpenCodeRules } from "../opencode-rules/opencode-permission.ts";
import { toToolChoice } from "../opencode-rules/opencode-tools.ts";
import { joinChoices, type ToolChoice } from "../tools/tool-choice.ts";
import { readToolChoice } from "../tools/tool-list.ts";
import { readBudget } from "./read-budget.ts";
import { readMode } from "./read-mode.ts";
import { readPolicy } from "./read-policy.ts";
import { isRuleLists, readRuleLists } from "./rule-lists.ts";

/** The restrictions of an agent. */
export interface Rights extends ToolChoice {
  permissionMode?: PermissionMode | undefined;
  disabled?: true | undefined;
  maxTurns?: number | undefined;
  maxDepth?: number | undefined;
  budget?: Budget | undefined;
}

/** Options for the differences of a format. */
interface RightsOptions {
  /** The format's list of tools. Absent = read from `tools` and `disallowedTools`. */
  choice?: ToolChoice;
  /** The format's rules from a map of tools, as in OpenCode. */
  toolMap?: readonly OpenCodeRule[];
  /** Whether rules are Cadre's own and used verbatim. Default `false`. */
  isOwnFormat?: boolean;
}

/**
 * Reads everything that restricts an agent, in any program's terms: a restriction applies in files of every format. An invalid
 * one is an error.
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

/** Returns the lists of rules under either key, because authors mix the two up. */
function readLists(fields: Fields, isOwnFormat: boolean): ToolChoice[] {
  return ruleFields.flatMap((name): ToolChoice[] => {
    const { key = name, value = null } = fields.written.get(name) ?? {};
    if (!isRuleLists(value)) return [];
    fields.lines.permissions ??= fields.lines[name] ?? 1;
    return [{ permissions: readRuleLists(fields, { key, value }, isOwnFormat) }];
  });
}

/** Returns the fields without lists of rules. Other values of these keys are OpenCode's rules. */
function withoutRuleLists(fields: Fields): Fields {
  const isOther = ([name, { value }]: [string, Field]): boolean =>
    !ruleFields.some((one) => one === name) || !isRuleLists(value);
  return { ...fields, written: new Map([...fields.written].filter(isOther)) };
}

/** Records the lines of fields that come from effects by action. */
function noteLines(fields: Fields, choice: ToolChoice): void {
  const { lines } = fields;
  const line = lines.permission ?? lines.permissions ?? lines.tools;
  for (const name of ["tools", "disallowedTools", "permissions", "agents"] as const) {
    if (choice[name] !== undefined && line !== undefined) lines[name] ??= line;
  }
}

/** Returns the agents that the agent may delegate to; `*` is all agents. */
function readAgents(fields: Fields): ToolChoice {
  if (isRecord(fields.written.get("agents")?.value)) return {};
  const agents = readList(fields, "agents");
  return agents === undefined || agents.includes("*") ? {} : { agents };
}
