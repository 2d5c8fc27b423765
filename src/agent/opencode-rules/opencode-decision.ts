import { offeredTools } from "../tools/tool-vocabulary.ts";
import { type ToolName, toolNames } from "../../run/tool-names.ts";
import type { OpenCodeEffect, OpenCodeRule } from "./opencode-permission.ts";

/** The actions that determine access to one of Cadre's tools. */
interface ToolActions {
  /** The actions that the tool needs, in any generation of OpenCode. */
  needed: readonly string[];
  /** Actions without effect in OpenCode. Here, denying one removes the tool. */
  restricting?: readonly string[];
}

const delegating: ToolActions = { needed: ["task", "subagent"] };
const listing: ToolActions = { needed: ["list", "read"] };

const actionsOf: ReadonlyMap<string, ToolActions> = new Map<ToolName, ToolActions>([
  ["Read", { needed: ["read"] }],
  ["Grep", { needed: ["grep"] }],
  ["Glob", { needed: ["glob"] }],
  ["LS", listing],
  ["DirectoryTree", listing],
  ["Edit", { needed: ["edit"], restricting: ["patch", "apply_patch", "multiedit"] }],
  ["Write", { needed: ["edit"], restricting: ["write"] }],
  ["Bash", { needed: ["bash", "shell"] }],
  ["WebFetch", { needed: ["webfetch"] }],
  ["WebSearch", { needed: ["websearch"] }],
  ["TodoWrite", { needed: ["todowrite"] }],
  ["AskUser", { needed: ["question"] }],
  ["Skill", { needed: ["skill"] }],
  ["Agent", delegating],
  ["Subagent", delegating],
  ["sessions_spawn", delegating],
]);

const knownActions: readonly string[] = [...actionsOf.values()].flatMap(
  ({ needed, restricting = [] }) => needed.concat(restricting),
);

const strictness: Readonly<Record<OpenCodeEffect, number>> = { allow: 0, ask: 1, deny: 2 };

/** The result of the rules for one tool, or for the tools of an MCP server. */
export interface OpenCodeDecision {
  /** A tool of Cadre, or an action about tools of MCP servers; empty for all other tools. */
  tool: string;
  effect: OpenCodeEffect;
  /** The rules about parts of its actions, in order. */
  exceptions: readonly PartialRule[];
}

/** A rule about a part of a tool's actions. */
export interface PartialRule extends OpenCodeRule {
  /** Its index among all rules. */
  at: number;
}

type ReadRule = PartialRule & { isAbout: (name: string) => boolean };

/**
 * Returns a function that decides about a tool by rules. It evaluates the rules for each name of a tool and in each order that
 * versions of OpenCode use. The strictest result counts.
 */
export function createRuleEvaluation(
  rules: readonly OpenCodeRule[],
): (tool: string) => OpenCodeDecision {
  const written = rules.map((rule, at) => ({ ...rule, at, isAbout: createMatcher(rule.action) }));
  const isFirst = ({ action, isKeyed }: OpenCodeRule): boolean => isKeyed && action.includes("*");
  const sorted = [...written.filter(isFirst), ...written.filter((rule) => !isFirst(rule))];
  return (tool) =>
    namesOf(tool, written)
      .flatMap((name) => [evaluate(tool, name, written), evaluate(tool, name, sorted)])
      .reduce(joinDecisions);
}

/**
 * Returns the names for which the rules are evaluated: the needed ones that the rules contain, and those that can restrict the
 * tool.
 */
function namesOf(tool: string, rules: readonly ReadRule[]): string[] {
  const { needed = [tool], restricting = [] } = actionsOf.get(tool) ?? {};
  const named = rules.filter(({ action }) => action !== "*");
  const isNamed = (name: string): boolean => named.some(({ isAbout }) => isAbout(name));
  const spelled = named.map(({ action }) => action).filter((action) => isOneOf(action, needed));
  const needs = spelled.length > 0 ? spelled : needed.some(isNamed) ? needed : needed.slice(0, 1);
  const others = named
    .map(({ action }) => action)
    .filter((action) => isOneOf(action, restricting) || isForeignName(action, tool));
  return [...new Set([...needs, ...others, ...restricting.filter(isNamed)])];
}

/**
 * Reports whether an action is another program's name for the tool, such as `web`. OpenCode ignores it, but its author meant the
 * tool.
 */
function isForeignName(action: string, tool: string): boolean {
  const isOffered = offeredTools(action)?.some((name) => name === tool) === true;
  return isOffered && !isKnownAction(action);
}

function isOneOf(action: string, names: readonly string[]): boolean {
  return names.includes(action.toLowerCase());
}

function evaluate(tool: string, name: string, rules: readonly ReadRule[]): OpenCodeDecision {
  const about = rules.filter(({ isAbout }) => isAbout(name));
  const base = about.findLastIndex(({ resource }) => /^\*+$/.test(resource));
  const effect = about[base]?.effect ?? "allow";
  const exceptions = about.slice(base + 1);
  if (!exceptions.some(({ resource }) => isQuery(tool, resource)))
    return toDecision(tool, effect, exceptions);
  return toDecision(tool, exceptions.map((rule) => rule.effect).reduce(stricter, effect), []);
}

/** Drops leading exceptions with the same effect as the base. */
function toDecision(
  tool: string,
  effect: OpenCodeEffect,
  exceptions: readonly PartialRule[],
): OpenCodeDecision {
  const first = exceptions.findIndex((rule) => rule.effect !== effect);
  return { tool, effect, exceptions: first === -1 ? [] : exceptions.slice(first) };
}

/**
 * Joins two decisions to what both allow. If both have exceptions, only the restricting ones remain, because it is unknown which
 * decision counts.
 */
function joinDecisions(first: OpenCodeDecision, second: OpenCodeDecision): OpenCodeDecision {
  if (isSame(first, second)) return first;
  const effect = stricter(first.effect, second.effect);
  const [plain, other] = first.exceptions.length === 0 ? [first, second] : [second, first];
  if (plain.exceptions.length === 0)
    return toDecision(first.tool, effect, atLeast(plain.effect, other.exceptions));
  const both = [...first.exceptions, ...second.exceptions];
  const left = both.filter((rule) => effect !== "deny" && rule.effect !== "allow");
  return toDecision(first.tool, effect, atLeast("deny", left));
}

function atLeast(effect: OpenCodeEffect, exceptions: readonly PartialRule[]): PartialRule[] {
  return exceptions.map((rule) =>
    Object.assign({}, rule, { effect: stricter(rule.effect, effect) }),
  );
}

function isSame(first: OpenCodeDecision, second: OpenCodeDecision): boolean {
  const texts = [first, second].map(({ effect, exceptions }) =>
    JSON.stringify([effect, exceptions.map((rule) => [rule.resource, rule.effect])]),
  );
  return texts[0] === texts[1];
}

function stricter(first: OpenCodeEffect, second: OpenCodeEffect): OpenCodeEffect {
  return strictness[first] > strictness[second] ? first : second;
}

/** Reports whether an action, possibly with wildcards, matches a tool of Cadre. */
export function isKnownAction(action: string): boolean {
  const isAbout = createMatcher(action);
  return knownActions.some((name) => isAbout(name) || isOneOf(action, [name]));
}

/** Reports whether a tool is denied entirely. */
export function isDenied({ effect, exceptions }: OpenCodeDecision): boolean {
  return effect === "deny" && exceptions.every((rule) => rule.effect === "deny");
}

/** Returns the tool that an action can only remove. */
export function toolRestrictedBy(action: string): string | undefined {
  const entries = [...actionsOf];
  return entries.find(([, { restricting = [] }]) => isOneOf(action, restricting))?.[0];
}

/** Reports whether a tool is Cadre's own. */
export function isOwnTool(tool: string): boolean {
  return toolNames.some((name) => name === tool);
}

/**
 * Reports whether a pattern refers to the searched text, which Cadre cannot limit. A pattern of paths limits where a tool
 * searches.
 */
export function isQuery(tool: string, resource: string): boolean {
  return (tool === "Grep" || tool === "Glob") && !/\/|^\*{0,2}\./.test(resource);
}

/** Reports whether a tool starts runs. */
export function isDelegating(tool: string): boolean {
  return actionsOf.get(tool) === delegating;
}

/** Returns a matcher for names: exact without wildcards, case-insensitive with them. */
function createMatcher(action: string): (name: string) => boolean {
  if (!/[*?]/.test(action)) return (name) => name === action;
  const parts = action
    .toLowerCase()
    .split(/\*+/)
    .map((part) => part.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`).replaceAll("?", "."));
  const pattern = new RegExp(`^${parts.join(".*")}$`, "s");
  return (name) => name === action || pattern.test(name.toLowerCase());
}
