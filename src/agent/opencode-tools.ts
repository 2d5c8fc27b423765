import type { OrderedRule } from "../run/permission.ts";
import { relatedTools } from "../run/permission-rule.ts";
import { toolNames } from "../run/tool-names.ts";
import type { Fields } from "./fields.ts";
import { reportLess } from "./opencode-finding.ts";
import { reportOverruled } from "./restriction/overruled-rule.ts";
import { toOrderedRules } from "./opencode-pattern.ts";
import type { OpenCodeEffect, OpenCodeRule } from "./opencode-permission.ts";
import {
  createJudge,
  isDelegating,
  isKnownAction,
  isOut,
  isOwnTool,
  type Verdict,
} from "./opencode-verdict.ts";
import type { ToolChoice } from "./tool-choice.ts";
import { nothingResolves, notOffered, unknownDenied, unknownTool } from "./tool-finding.ts";
import { isServerName, mcpToolPattern, toServerName } from "./tool-name.ts";
import { offeredTools } from "./tool-vocabulary.ts";
import { ownValue } from "../source/own-value.ts";

/** Actions that are no tool: what they guard is not there, or is confined anyway. */
const noTools = new Set(["doom_loop", "external_directory", "execute"]);

/** Turns rules of OpenCode into what Cadre has for the same: tools taken away, an allow list, and ordered rules. */
export function toToolChoice(fields: Fields, rules: readonly OpenCodeRule[]): ToolChoice {
  if (rules.length === 0) return {};
  const judge = createJudge(rules);
  const verdicts = [...toolNames, ...serversIn(fields, rules)].map(judge);
  reportLess(fields, rules, verdicts);
  reportOverruled(fields, rules);
  const others = judge("").effect;
  // An allow list says already which of Cadre's own there are.
  const denied = verdicts
    .filter((verdict) => isOut(verdict) && (others !== "deny" || !isOwnTool(verdict.tool)))
    .flatMap(({ tool }) => allNamesOf(tool));
  const left = verdicts.filter((verdict) => !isOut(verdict));
  const agents = agentsIn(left);
  const ordered = order(
    left.filter(({ tool }) => agents === undefined || !isDelegating(tool)),
    others,
  );
  const tools = left.map(({ tool }) => nameOf(tool));
  const named = rules.find(
    ({ action, effect }) => effect !== "deny" && action !== "*" && !noTools.has(action),
  );
  if (others === "deny" && tools.length === 0 && named !== undefined)
    fields.report(named.keys.slice(0, 1), {
      ...nothingResolves(String(named.keys[0]), !isServerName(named.action)),
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
      if (effect !== "deny") fields.report(keys, notOffered([action]));
      continue;
    }
    if (!isServer)
      fields.report(keys, effect === "deny" ? unknownDenied(action) : unknownTool(action));
    // Older files name a server without its tools.
    if (isServer || effect === "deny" || isServerName(action)) servers.add(action);
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

/** Bases first, then the exceptions in the order in which they count: a denied `Edit` is about `Write` too. */
function order(verdicts: readonly Verdict[], others: OpenCodeEffect): OrderedRule[] {
  const bases = verdicts
    .filter(({ effect }) => effect !== "allow")
    .flatMap(({ tool, effect }) =>
      allNamesOf(tool).map((rule): OrderedRule => ({ decision: effect, rule })),
    );
  const rest: OrderedRule[] = others === "ask" ? [{ decision: "ask", rule: "mcp__*" }] : [];
  const exceptions = verdicts
    .flatMap((own) =>
      [own, ...followed(own, verdicts)].flatMap((from) => exceptionsFor(own.tool, from)),
    )
    .sort((first, second) => first.at - second.at);
  return [...rest, ...bases, ...exceptions.flatMap(({ rules }) => rules)];
}

function exceptionsFor(
  tool: string,
  { exceptions }: Verdict,
): { at: number; rules: OrderedRule[] }[] {
  const names = allNamesOf(tool);
  return exceptions.map((rule) => ({ at: rule.at, rules: toOrderedRules(tool, names, rule) }));
}

/** A tool without rules of its own is limited like those that it is related to: searching reads, too. */
function followed(own: Verdict, verdicts: readonly Verdict[]): Verdict[] {
  if (own.effect !== "allow" || own.exceptions.length > 0) return [];
  return verdicts.filter(
    ({ tool, effect }) =>
      effect !== "allow" &&
      isOwnTool(tool) &&
      ownValue(relatedTools, tool)?.includes(own.tool) === true,
  );
}
