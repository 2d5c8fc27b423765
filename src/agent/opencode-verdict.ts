import { offeredTools } from "./tool-vocabulary.ts";
import { type ToolName, toolNames } from "../run/tool-names.ts";
import type { OpenCodeEffect, OpenCodeRule } from "./opencode-permission.ts";

/** The actions that decide about one of Cadre's tools. */
interface ToolActions {
  /** What the tool needs, in one generation of OpenCode or another. */
  needed: readonly string[];
  /** What gives nothing there, and takes the tool away here. */
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
  ["Skill", { needed: ["skill"] }],
  ["Agent", delegating],
  ["Subagent", delegating],
  ["sessions_spawn", delegating],
]);

const knownActions: readonly string[] = [...actionsOf.values()].flatMap(
  ({ needed, restricting = [] }) => needed.concat(restricting),
);

const strictness: Readonly<Record<OpenCodeEffect, number>> = { allow: 0, ask: 1, deny: 2 };

/** What the rules come to for one tool, or for the tools of one MCP server. */
export interface Verdict {
  /** A tool of Cadre, or an action that is about tools of MCP servers; empty for all that nothing names. */
  tool: string;
  effect: OpenCodeEffect;
  /** The rules about parts of it, in order. */
  exceptions: readonly Exception[];
}

/** A rule about a part of what a tool can do. */
export interface Exception extends OpenCodeRule {
  /** Its place among all rules. */
  at: number;
}

type ReadRule = Exception & { isAbout: (name: string) => boolean };

/**
 * Decides about tools by rules. Where a tool has several names, and where versions of OpenCode put rules in another order,
 * it is judged by each, and the strictest counts.
 */
export function createJudge(rules: readonly OpenCodeRule[]): (tool: string) => Verdict {
  const written = rules.map((rule, at) => ({ ...rule, at, isAbout: createMatcher(rule.action) }));
  const isFirst = ({ action, isKeyed }: OpenCodeRule): boolean => isKeyed && action.includes("*");
  const sorted = [...written.filter(isFirst), ...written.filter((rule) => !isFirst(rule))];
  return (tool) =>
    namesOf(tool, written)
      .flatMap((name) => [weigh(tool, name, written), weigh(tool, name, sorted)])
      .reduce(joinVerdicts);
}

/** The names by which a tool is judged: of those it needs the ones that are spelled out, and those that can restrict it. */
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

/** What other programs call the tool gives nothing there, and was meant for it: `web: deny`. */
function isForeignName(action: string, tool: string): boolean {
  const isOffered = offeredTools(action)?.some((name) => name === tool) === true;
  return isOffered && !isKnownAction(action);
}

function isOneOf(action: string, names: readonly string[]): boolean {
  return names.includes(action.toLowerCase());
}

function weigh(tool: string, name: string, rules: readonly ReadRule[]): Verdict {
  const about = rules.filter(({ isAbout }) => isAbout(name));
  const base = about.findLastIndex(({ resource }) => /^\*+$/.test(resource));
  const effect = about[base]?.effect ?? "allow";
  const exceptions = about.slice(base + 1);
  if (!exceptions.some(({ resource }) => isQuery(tool, resource)))
    return toVerdict(tool, effect, exceptions);
  return toVerdict(tool, exceptions.map((rule) => rule.effect).reduce(stricter, effect), []);
}

/** What is as it is for all the rest is no exception. */
function toVerdict(
  tool: string,
  effect: OpenCodeEffect,
  exceptions: readonly Exception[],
): Verdict {
  const first = exceptions.findIndex((rule) => rule.effect !== effect);
  return { tool, effect, exceptions: first === -1 ? [] : exceptions.slice(first) };
}

/** What both give. Of two that have exceptions each, only what these deny is left: which of them count is not known. */
function joinVerdicts(first: Verdict, second: Verdict): Verdict {
  if (isSame(first, second)) return first;
  const effect = stricter(first.effect, second.effect);
  const [plain, other] = first.exceptions.length === 0 ? [first, second] : [second, first];
  if (plain.exceptions.length === 0)
    return toVerdict(first.tool, effect, atLeast(plain.effect, other.exceptions));
  const both = [...first.exceptions, ...second.exceptions];
  const left = both.filter((rule) => effect !== "deny" && rule.effect !== "allow");
  return toVerdict(first.tool, effect, atLeast("deny", left));
}

function atLeast(effect: OpenCodeEffect, exceptions: readonly Exception[]): Exception[] {
  return exceptions.map((rule) =>
    Object.assign({}, rule, { effect: stricter(rule.effect, effect) }),
  );
}

function isSame(first: Verdict, second: Verdict): boolean {
  const texts = [first, second].map(({ effect, exceptions }) =>
    JSON.stringify([effect, exceptions.map((rule) => [rule.resource, rule.effect])]),
  );
  return texts[0] === texts[1];
}

function stricter(first: OpenCodeEffect, second: OpenCodeEffect): OpenCodeEffect {
  return strictness[first] > strictness[second] ? first : second;
}

/** Whether an action, which may have wildcards in it, is about a tool of Cadre. */
export function isKnownAction(action: string): boolean {
  const isAbout = createMatcher(action);
  return knownActions.some((name) => isAbout(name) || isOneOf(action, [name]));
}

/** Whether nothing of a tool is left. */
export function isOut({ effect, exceptions }: Verdict): boolean {
  return effect === "deny" && exceptions.every((rule) => rule.effect === "deny");
}

/** The tool that an action can only take away. */
export function toolRestrictedBy(action: string): string | undefined {
  const entries = [...actionsOf];
  return entries.find(([, { restricting = [] }]) => isOneOf(action, restricting))?.[0];
}

/** Whether it is a tool of Cadre's own. */
export function isOwnTool(tool: string): boolean {
  return toolNames.some((name) => name === tool);
}

/** Whether a pattern is about what a tool searches for, which cannot be told here; one of paths is taken for where it searches. */
export function isQuery(tool: string, resource: string): boolean {
  return (tool === "Grep" || tool === "Glob") && !/\/|^\*{0,2}\./.test(resource);
}

/** Whether a tool starts runs. */
export function isDelegating(tool: string): boolean {
  return actionsOf.get(tool) === delegating;
}

/** A name is matched as it is spelled, by wildcards in any case. */
function createMatcher(action: string): (name: string) => boolean {
  if (!/[*?]/.test(action)) return (name) => name === action;
  const parts = action
    .toLowerCase()
    .split(/\*+/)
    .map((part) => part.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`).replaceAll("?", "."));
  const pattern = new RegExp(`^${parts.join(".*")}$`, "s");
  return (name) => name === action || pattern.test(name.toLowerCase());
}
