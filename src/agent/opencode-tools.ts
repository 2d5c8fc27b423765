import { homedir } from "node:os";
import type { OrderedRule } from "../run/permission.ts";
import { relatedTools } from "../run/permission-rule.ts";
import { type ToolName, toolNames } from "../run/tool-names.ts";
import type { Fields } from "./fields.ts";
import type { OpenCodeEffect, OpenCodeRule } from "./opencode-permission.ts";
import { notOffered, unknownTool } from "./tool-finding.ts";
import type { ToolChoice } from "./tool-list.ts";
import { mcpToolPattern } from "./tool-name.ts";
import { offeredTools } from "./tool-vocabulary.ts";

/** The actions that decide about each of Cadre's tools. */
const actionsOf: Partial<Record<ToolName, readonly string[]>> = {
  Read: ["read"],
  Grep: ["grep"],
  Glob: ["glob"],
  LS: ["list", "read"],
  DirectoryTree: ["list", "read"],
  Edit: ["edit", "patch", "multiedit"],
  Write: ["edit", "write"],
  Bash: ["bash", "shell"],
  WebFetch: ["webfetch"],
  Skill: ["skill"],
  Agent: ["task", "subagent"],
  Subagent: ["task", "subagent"],
  sessions_spawn: ["task", "subagent"],
};

/** Actions that are no tool: what they guard is not there, or is confined anyway. */
const noTools = new Set(["doom_loop", "external_directory", "execute"]);

/** What the rules come to for one tool, or for the tools of one MCP server. */
interface Verdict {
  tool: string;
  effect: OpenCodeEffect;
  /** The rules about parts of it, in order. */
  exceptions: readonly OpenCodeRule[];
}

/** Turns rules of OpenCode into what Cadre has for the same: tools taken away, an allow list, and ordered rules. */
export function toToolChoice(fields: Fields, rules: readonly OpenCodeRule[]): ToolChoice {
  if (rules.length === 0) return {};
  const verdicts = [
    ...toolNames.map((tool) => judge(tool, rules, actionsOf[tool] ?? [])),
    ...serversIn(fields, rules).map((tool) => judge(tool, rules, [tool])),
  ];
  const others = judge("", rules, []).effect;
  const isOut = ({ effect, exceptions }: Verdict): boolean =>
    effect === "deny" && exceptions.every((rule) => rule.effect === "deny");
  // An allow list says already which of Cadre's own there are.
  const denied = verdicts
    .filter((verdict) => isOut(verdict) && (others !== "deny" || !isOwn(verdict.tool)))
    .map(({ tool }) => toCadre(tool, "deny"));
  const left = verdicts.filter((verdict) => !isOut(verdict));
  const agents = agentsIn(left);
  const ordered = order(
    left.filter(({ tool }) => agents === undefined || !isDelegating(tool)),
    others,
    rules,
  );
  const tools = left.map(({ tool }) => toCadre(tool, "allow"));
  return {
    ...(others === "deny" ? { tools } : {}),
    ...(denied.length > 0 ? { disallowedTools: denied } : {}),
    ...(agents === undefined ? {} : { agents }),
    ...(ordered.length === 0 ? {} : { permissions: { allow: [], ask: [], deny: [], ordered } }),
  };
}

function judge(tool: string, rules: readonly OpenCodeRule[], actions: readonly string[]): Verdict {
  const about = rules.filter(
    ({ action }) => actions.some((one) => matches(action, one)) || action === "*",
  );
  const base = about.findLastIndex(({ resource }) => /^\*+$/.test(resource));
  const effect = about[base]?.effect ?? "allow";
  const exceptions = about.slice(base + 1);
  // What is allowed as it is, is no exception.
  const first = exceptions.findIndex((rule) => rule.effect !== effect);
  return { tool, effect, exceptions: first === -1 ? [] : exceptions.slice(first) };
}

function matches(action: string, name: string): boolean {
  const parts = action
    .toLowerCase()
    .split("*")
    .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(name.toLowerCase());
}

/** The actions that are about tools of MCP servers, `SERVER_TOOL`; one that is about nothing is reported. */
function serversIn(fields: Fields, rules: readonly OpenCodeRule[]): string[] {
  const known = new Set(Object.values(actionsOf).flat());
  const servers = new Set<string>();
  for (const { action, effect, keys } of rules) {
    const isKnown = [...known].some((name) => matches(action, name)) || noTools.has(action);
    if (isKnown || action === "*") continue;
    if (offeredTools(action) !== undefined) {
      if (effect !== "deny") fields.report(keys, { ...notOffered(action), severity: "info" });
    } else if (/^[\w.-]+_[\w.*-]*$|^[\w.-]+\*$|^mcp/.test(action)) servers.add(action);
    else fields.report(keys, unknownTool(action));
  }
  return [...servers];
}

/** `SERVER_TOOL` and `SERVER_*` as patterns of Cadre; what is denied is so however the name was put together. */
function toCadre(tool: string, effect: "allow" | "deny"): string {
  if (isOwn(tool) || tool.startsWith("mcp__")) return tool;
  if (tool === "mcp*" || tool === "mcp_*") return "mcp__*";
  if (tool.endsWith("*") && effect === "deny") {
    return `mcp__${tool.slice(0, -1).replaceAll(/[^\w-]/g, "_")}*`;
  }
  const name = tool.replace(/^mcp_/, "");
  const [, server = name, rest = "*"] = /^([A-Za-z0-9.-]+)_(.+)$/.exec(name) ?? [];
  return mcpToolPattern(server.replace(/\*$/, ""), rest);
}

function isOwn(tool: string): boolean {
  return toolNames.some((name) => name === tool);
}

function isDelegating(tool: string): boolean {
  return actionsOf[tool as ToolName]?.includes("task") === true;
}

/** The agents it may delegate to, where the rules name them one by one. */
function agentsIn(verdicts: readonly Verdict[]): string[] | undefined {
  const { effect, exceptions } = verdicts.find(({ tool }) => isDelegating(tool)) ?? {};
  const isList = exceptions?.every(
    (rule) => rule.effect === "allow" && !/[*?]/.test(rule.resource),
  );
  return effect === "deny" && isList === true
    ? exceptions?.map(({ resource }) => resource)
    : undefined;
}

/** Bases first, then the exceptions in the order written: a denied `Edit` is about `Write` too. */
function order(
  verdicts: readonly Verdict[],
  others: OpenCodeEffect,
  rules: readonly OpenCodeRule[],
): OrderedRule[] {
  const bases = verdicts
    .filter(({ effect }) => effect !== "allow")
    .map(({ tool, effect }): OrderedRule => ({ decision: effect, rule: toCadre(tool, "deny") }));
  const rest: OrderedRule[] = others === "ask" ? [{ decision: "ask", rule: "mcp__*" }] : [];
  const exceptions = rules.flatMap((rule) =>
    verdicts
      .filter(({ tool, exceptions: own }) => own.includes(rule) || follows(tool, rule, verdicts))
      .flatMap(({ tool }): OrderedRule[] =>
        toPatterns(tool, rule).map((pattern) => ({
          decision: rule.effect,
          rule: `${toCadre(tool, "deny")}(${pattern})`,
        })),
      ),
  );
  return [...rest, ...bases, ...exceptions];
}

/** Whether a tool without rules of its own is limited like the one it is related to: searching reads, too. */
function follows(tool: string, rule: OpenCodeRule, verdicts: readonly Verdict[]): boolean {
  return verdicts.some(
    (other) =>
      other.effect !== "allow" &&
      other.exceptions.includes(rule) &&
      (relatedTools[other.tool] ?? []).includes(tool) &&
      verdicts.some(
        (own) => own.tool === tool && own.effect === "allow" && own.exceptions.length === 0,
      ),
  );
}

/** A pattern of OpenCode, in which `*` is anything and `?` one character, as one that Cadre matches for the tool. */
function toPatterns(tool: string, { resource, effect }: OpenCodeRule): string[] {
  const literal = effect === "allow" ? resource : resource.replaceAll("?", "*");
  if (tool === "Bash") return [literal.replaceAll("\\", "\\\\").replace(/ \*$/, ":*")];
  if (tool === "Skill") return [`**/${toPath(resource)}/SKILL.md`];
  const isFile = ["Read", "Edit", "Write", "Grep", "Glob", "LS", "DirectoryTree"].includes(tool);
  return [isFile ? toPath(resource) : literal.replaceAll("\\", "\\\\")];
}

function toPath(resource: string): string {
  const path = resource.replace(/^(?:~|\$HOME)(?=\/|$)/, homedir()).replace(/^\.\//, "");
  const segments = path
    .replaceAll("\\", "/")
    .split("/")
    .flatMap((segment) => {
      const escaped = segment.replaceAll(/[[\]{}()!+@|]/g, String.raw`\$&`);
      if (!segment.includes("*")) return [escaped];
      return /^\*+$/.test(segment) ? ["**"] : ["**", escaped];
    });
  return segments
    .filter((segment, index) => segment !== "**" || segments[index - 1] !== "**")
    .join("/");
}
