// Permissions: decides whether a run may make a call.

import type {
  LevelDecision,
  OrderedRule,
  PermissionMode,
  PermissionPolicy,
} from "../../run/permission.ts";
import { isRuleProblem, parseRule } from "../../run/permission-rule.ts";
import { isBuiltinTool } from "../../run/tool-names.ts";
import { isControlFile } from "../control-file/is-control-file.ts";
import { exactPattern, explainNarrow, isExact, matchesRule, type Reading } from "./rule-match.ts";
import type { PermissionCall } from "./permission-call.ts";

/** The decision about a call. */
export type Decision = LevelDecision["decision"];

/** A decision with its source, such as `mode ask` or `rule Bash(rm *)`, and the separate decision of every level. */
export interface PermissionDecision extends LevelDecision {
  levels: readonly LevelDecision[];
}

type RiskyAccess = "edit" | "execute" | "network";

const modeDecisions: Record<PermissionMode, Record<RiskyAccess, Decision>> = {
  plan: { edit: "deny", execute: "deny", network: "ask" },
  "read-only": { edit: "deny", execute: "deny", network: "ask" },
  deny: { edit: "deny", execute: "deny", network: "deny" },
  ask: { edit: "ask", execute: "ask", network: "ask" },
  "accept-edits": { edit: "allow", execute: "ask", network: "ask" },
  auto: { edit: "allow", execute: "allow", network: "allow" },
};

const strictness: Record<Decision, number> = { allow: 0, ask: 1, deny: 2 };

/**
 * Decides about `call` by the strictest of `policies`. Without any policy the decision is to ask. Adding a policy never loosens
 * the decision.
 */
export function decide(
  policies: readonly PermissionPolicy[],
  call: PermissionCall,
): PermissionDecision {
  const levels = policies.map((policy) => decideLevel(policy, call));
  const [first = { decision: "ask", reason: "no permission policy" } as const, ...others] = levels;
  const strictest = others.reduce<LevelDecision>(
    (found, next) => (strictness[next.decision] > strictness[found.decision] ? next : found),
    first,
  );
  return { ...strictest, levels };
}

/** Returns the allow rule for the answer "always": this tool with exactly this subject. */
export function ruleFor(call: PermissionCall): string {
  return call.subject === "" ? call.tool : `${call.tool}(${exactPattern(call)})`;
}

/** Reports whether an allow rule covers all of `call`, as it does among the rules of a configuration. */
export function coversCall(rule: string, call: PermissionCall): boolean {
  const policy: PermissionPolicy = { mode: "deny", rules: { allow: [rule], ask: [], deny: [] } };
  return decideLevel(policy, call).reason === `rule ${rule}`;
}

/** Returns the reason of a decision that no rule made: the level's mode, or that none of its rules applies. */
export function describeMode({ mode, from, hasOnlyRules }: PermissionPolicy): string {
  return hasOnlyRules === true ? `no rule${whoseIs(from)}` : `mode ${mode}${whoseIs(from)}`;
}

function whoseIs(from: string | undefined): string {
  return from === undefined ? "" : ` of ${from}`;
}

function decideLevel(policy: PermissionPolicy, call: PermissionCall): LevelDecision {
  const { mode, rules, from } = policy;
  const whose = whoseIs(from);
  const denied = findRule(rules.deny, call, "wide");
  if (denied !== undefined) return { decision: "deny", reason: `rule ${denied}${whose}` };
  const byMode = decideByMode(mode, call);
  // A read-only mode ignores allow rules, and the deny mode never asks.
  if (onlyReads(mode) && byMode === "deny")
    return { decision: "deny", reason: describeMode(policy) };
  const last = findLast(rules.ordered ?? [], call);
  if (last?.decision === "deny") {
    const exceptions = (rules.ordered ?? []).filter(({ decision }) => decision === "allow");
    const why = explainUncovered(
      exceptions.map(({ rule }) => rule),
      call,
    );
    return { decision: "deny", reason: why ?? `rule ${last.rule}${whose}` };
  }
  const asked =
    findRule(rules.ask, call, "wide") ?? (last?.decision === "ask" ? last.rule : undefined);
  if (asked !== undefined)
    return { decision: mode === "deny" ? "deny" : "ask", reason: `rule ${asked}${whose}` };
  const guard = guardOf(call);
  const permitted = last === undefined ? rules.allow : [...rules.allow, last.rule];
  const allowing = guard !== undefined ? permitted.filter((rule) => isExactRule(rule)) : permitted;
  const allowed = findRule(allowing, call, "narrow");
  if (guard !== undefined && allowed === undefined) {
    return { decision: mode === "deny" ? "deny" : "ask", reason: guard };
  }
  if (allowed !== undefined) return { decision: "allow", reason: `rule ${allowed}${whose}` };
  const why = byMode === "allow" ? undefined : explainUncovered(allowing, call);
  return { decision: byMode, reason: why ?? describeMode(policy) };
}

/** Explains why the first allow rule that almost covers a command does not. */
function explainUncovered(rules: readonly string[], call: PermissionCall): string | undefined {
  for (const rule of rules) {
    const parsed = parseRule(rule);
    const why = isRuleProblem(parsed) ? undefined : explainNarrow(parsed, call);
    if (why !== undefined) return why;
  }
  return undefined;
}

function onlyReads(mode: PermissionMode): boolean {
  return mode === "plan" || mode === "read-only";
}

function decideByMode(mode: PermissionMode, { access, isShell }: PermissionCall): Decision {
  if (mode === "read-only" && access === "execute" && isShell === true) return "allow";
  const isRisky = access === "edit" || access === "execute" || access === "network";
  return isRisky ? modeDecisions[mode][access] : "allow";
}

/** Returns the first rule that matches `call`. An invalid rule matches every call to deny or ask, and none to allow. */
function findRule(
  rules: readonly string[],
  call: PermissionCall,
  reading: Reading,
): string | undefined {
  return rules.find((rule) => {
    const parsed = parseRule(rule);
    return isRuleProblem(parsed) ? reading === "wide" : matchesRule(parsed, call, reading);
  });
}

/**
 * Returns the last of `rules` that matches `call`: an allow rule has to match all of the call, a deny rule any part. An ask rule
 * that matches only a part does not admit what an earlier rule denies.
 */
function findLast(rules: readonly OrderedRule[], call: PermissionCall): OrderedRule | undefined {
  const isAbout = (rule: string, reading: Reading): boolean =>
    findRule([rule], call, reading) !== undefined;
  const at = rules.findLastIndex(({ decision, rule }) =>
    isAbout(rule, decision === "allow" ? "narrow" : "wide"),
  );
  const found = rules[at];
  if (found?.decision !== "ask" || isAbout(found.rule, "narrow")) return found;
  const earlier = findLast(rules.slice(0, at), call);
  return earlier?.decision === "deny" ? earlier : found;
}

/** Explains why only an exact rule can allow `call`; `undefined` when the mode decides. */
function guardOf(call: PermissionCall): string | undefined {
  if (call.raisesRights !== undefined) return call.raisesRights;
  return touchesControlFile(call) ? `control file ${call.subject}` : undefined;
}

/** A program's own tool does what its author wrote, in whichever file. */
function touchesControlFile(call: PermissionCall): boolean {
  if (call.access !== "edit" || !isBuiltinTool(call.tool)) return false;
  return call.paths === null || call.paths.some((path) => isControlFile(path, call.workspace));
}

function isExactRule(rule: string): boolean {
  const parsed = parseRule(rule);
  return !isRuleProblem(parsed) && isExact(parsed.pattern);
}
