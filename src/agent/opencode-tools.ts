import { homedir } from "node:os";
import type { OrderedRule } from "../run/permission.ts";
import { relatedTools } from "../run/permission-rule.ts";
import { toolNames } from "../run/tool-names.ts";
import type { Fields } from "./fields.ts";
import type { OpenCodeEffect, OpenCodeRule } from "./opencode-permission.ts";
import {
  createJudge,
  isDelegating,
  isKnownAction,
  isOwnTool,
  type Verdict,
} from "./opencode-verdict.ts";
import type { ToolChoice } from "./tool-choice.ts";
import { nothingResolves, notOffered, unknownDenied, unknownTool } from "./tool-finding.ts";
import { mcpToolPattern, toServerName } from "./tool-name.ts";
import { offeredTools } from "./tool-vocabulary.ts";

/** Actions that are no tool: what they guard is not there, or is confined anyway. */
const noTools = new Set(["doom_loop", "external_directory", "execute"]);

/** Turns rules of OpenCode into what Cadre has for the same: tools taken away, an allow list, and ordered rules. */
export function toToolChoice(fields: Fields, rules: readonly OpenCodeRule[]): ToolChoice {
  if (rules.length === 0) return {};
  const judge = createJudge(rules);
  const verdicts = [...toolNames, ...serversIn(fields, rules)].map(judge);
  const others = judge("").effect;
  const isOut = ({ effect, exceptions }: Verdict): boolean =>
    effect === "deny" && exceptions.every((rule) => rule.effect === "deny");
  // An allow list says already which of Cadre's own there are.
  const denied = verdicts
    .filter((verdict) => isOut(verdict) && (others !== "deny" || !isOwnTool(verdict.tool)))
    .flatMap(({ tool }) => allNamesOf(tool));
  const left = verdicts.filter((verdict) => !isOut(verdict));
  const agents = agentsIn(left);
  const ordered = order(
    left.filter(({ tool }) => agents === undefined || !isDelegating(tool)),
    others,
    rules,
  );
  const tools = left.map(({ tool }) => nameOf(tool));
  const named = rules.find(
    ({ action, effect }) => effect !== "deny" && action !== "*" && !noTools.has(action),
  );
  if (others === "deny" && tools.length === 0 && named !== undefined)
    fields.report(named.keys.slice(0, 1), {
      ...nothingResolves(String(named.keys[0])),
      fix: 'Name a tool there is, such as `read`, or leave only `"*"` for an agent without tools.',
    });
  return {
    ...(others === "deny" ? { tools } : {}),
    ...(denied.length > 0 ? { disallowedTools: denied } : {}),
    ...(agents === undefined ? {} : { agents }),
    ...(ordered.length === 0 ? {} : { permissions: { allow: [], ask: [], deny: [], ordered } }),
  };
}

/** The actions that are about tools of MCP servers, `SERVER_TOOL`; one that is about nothing is reported. */
function serversIn(fields: Fields, rules: readonly OpenCodeRule[]): string[] {
  const servers = new Set<string>();
  for (const { action, effect, keys } of rules) {
    if (servers.has(action) || action === "*" || noTools.has(action)) continue;
    if (isKnownAction(action)) continue;
    const isServer = /^[\w.-]+_[\w.*-]*$|\*|^mcp/.test(action);
    if (offeredTools(action) !== undefined) {
      if (effect !== "deny") fields.report(keys, { ...notOffered(action), severity: "info" });
    } else if (isServer) servers.add(action);
    else if (effect === "deny") {
      fields.report(keys, unknownDenied(action));
      // Older files name a server without its tools.
      servers.add(action);
    } else fields.report(keys, unknownTool(action));
  }
  return [...servers];
}

/** What is allowed by a name: `SERVER_TOOL` and `SERVER_*` as Cadre has it. */
function nameOf(tool: string): string {
  if (isOwnTool(tool) || tool.startsWith("mcp__")) return tool;
  if (tool === "mcp*" || tool === "mcp_*") return "mcp__*";
  const name = tool.replace(/^mcp_/, "");
  const [, server = name, rest = "*"] = /^([A-Za-z0-9.-]+)_(.+)$/.exec(name) ?? [];
  return mcpToolPattern(server.replace(/\*$/, ""), rest);
}

/** What is restricted by a name: all that it may be, for where a server's name ends in it cannot be told. */
function allNamesOf(tool: string): string[] {
  if (isOwnTool(tool) || /^mcp__[^*]*\*?$/.test(tool)) return [tool];
  const name = tool.replace(/^mcp_?(?=.)/, "");
  const star = name.indexOf("*");
  if (star !== -1) return [`mcp__${toServerName(name.slice(0, star))}*`];
  const ends = [...name.matchAll(/_/g)].map(({ index }) => index).filter((at) => at > 0);
  if (ends.length === 0) return [mcpToolPattern(name)];
  return ends.map((at) => mcpToolPattern(name.slice(0, at), name.slice(at + 1)));
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
    .flatMap(({ tool, effect }) =>
      allNamesOf(tool).map((rule): OrderedRule => ({ decision: effect, rule })),
    );
  const rest: OrderedRule[] = others === "ask" ? [{ decision: "ask", rule: "mcp__*" }] : [];
  const limiting = verdicts.filter(({ tool, effect }) => effect !== "allow" && isOwnTool(tool));
  const exceptions = rules.flatMap((rule) =>
    verdicts
      .filter((own) => own.exceptions.includes(rule) || follows(own, rule, limiting))
      .flatMap(({ tool }) => toRules(tool, rule)),
  );
  return [...rest, ...bases, ...exceptions];
}

function toRules(tool: string, rule: OpenCodeRule): OrderedRule[] {
  return allNamesOf(tool).flatMap((name) =>
    toPatterns(tool, rule).map((pattern) => ({
      decision: rule.effect,
      rule: `${name}(${pattern})`,
    })),
  );
}

/** Whether a tool without rules of its own is limited like one that it is related to: searching reads, too. */
function follows(own: Verdict, rule: OpenCodeRule, limiting: readonly Verdict[]): boolean {
  if (own.effect !== "allow" || own.exceptions.length > 0) return false;
  return limiting.some(
    (other) =>
      other.exceptions.includes(rule) && (relatedTools[other.tool] ?? []).includes(own.tool),
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
