import { type ToolName, toolNames } from "../run/tool-names.ts";
import type { OpenCodeEffect, OpenCodeRule } from "./opencode-permission.ts";

/** The actions that decide about each of Cadre's tools, the one that is its own first. */
const actionsOf: ReadonlyMap<string, readonly string[]> = new Map<ToolName, readonly string[]>([
  ["Read", ["read"]],
  ["Grep", ["grep"]],
  ["Glob", ["glob"]],
  ["LS", ["list", "read"]],
  ["DirectoryTree", ["list", "read"]],
  ["Edit", ["edit", "patch", "multiedit"]],
  ["Write", ["edit", "write"]],
  ["Bash", ["bash", "shell"]],
  ["WebFetch", ["webfetch"]],
  ["Skill", ["skill"]],
  ["Agent", ["task", "subagent"]],
  ["Subagent", ["task", "subagent"]],
  ["sessions_spawn", ["task", "subagent"]],
]);

const knownActions: readonly string[] = [...new Set([...actionsOf.values()].flat())];

const strictness: Readonly<Record<OpenCodeEffect, number>> = { allow: 0, ask: 1, deny: 2 };

/** What the rules come to for one tool, or for the tools of one MCP server. */
export interface Verdict {
  /** A tool of Cadre, or an action that is about tools of MCP servers; empty for all that nothing names. */
  tool: string;
  effect: OpenCodeEffect;
  /** The rules about parts of it, in order. */
  exceptions: readonly OpenCodeRule[];
}

/** Decides about tools by rules; each pattern is read once. */
export function createJudge(rules: readonly OpenCodeRule[]): (tool: string) => Verdict {
  const read = rules.map((rule) => ({ rule, isAbout: createMatcher(rule.action) }));

  function weigh(tool: string, actions: readonly string[]): Verdict {
    const about = read
      .filter(({ rule, isAbout }) => rule.action === "*" || actions.some(isAbout))
      .map(({ rule }) => rule);
    const base = about.findLastIndex(({ resource }) => /^\*+$/.test(resource));
    const effect = about[base]?.effect ?? "allow";
    const exceptions = about.slice(base + 1);
    // What is allowed as it is, is no exception.
    const first = exceptions.findIndex((rule) => rule.effect !== effect);
    return { tool, effect, exceptions: first === -1 ? [] : exceptions.slice(first) };
  }

  return (tool) => {
    const actions = actionsOf.get(tool) ?? (isOwnTool(tool) || tool === "" ? [] : [tool]);
    const all = weigh(tool, actions);
    const [own] = actions;
    const isNamed = ({ rule, isAbout }: (typeof read)[number]): boolean =>
      own !== undefined && rule.action !== "*" && isAbout(own);
    if (own === undefined || !read.some(isNamed)) return all;
    // What is said about its own action is not undone by another: `list: deny` stays with `read: allow` behind it.
    const byOwn = weigh(tool, [own]);
    return strictness[all.effect] > strictness[byOwn.effect] ? all : byOwn;
  };
}

/** Whether an action, which may have `*` in it, is about a tool of Cadre. */
export function isKnownAction(action: string): boolean {
  const isAbout = createMatcher(action);
  return knownActions.some(isAbout);
}

/** Whether it is a tool of Cadre's own. */
export function isOwnTool(tool: string): boolean {
  return toolNames.some((name) => name === tool);
}

/** Whether a tool starts runs. */
export function isDelegating(tool: string): boolean {
  return actionsOf.get(tool)?.includes("task") === true;
}

function createMatcher(action: string): (name: string) => boolean {
  const parts = action
    .toLowerCase()
    .split(/\*+/)
    .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(`^${parts.join(".*")}$`);
  return (name) => pattern.test(name.toLowerCase());
}
