import type { OrderedRule } from "../../run/permission.ts";
import { relatedTools } from "../../run/permission-rule.ts";
import { toolNames } from "../../run/tool-names.ts";
import type { Fields } from "../fields/fields.ts";
import { reportLess } from "./opencode-finding.ts";
import { reportOverruled } from "./overruled-rule.ts";
import { toOrderedRules } from "./opencode-pattern.ts";
import type { OpenCodeEffect, OpenCodeRule } from "./opencode-permission.ts";
import {
  createRuleEvaluation,
  isDelegating,
  isKnownAction,
  isDenied,
  isOwnTool,
  type OpenCodeDecision,
} from "./opencode-decision.ts";
import type { ToolChoice } from "../tools/tool-choice.ts";
import { nothingResolves, notOffered, unknownDenied, unknownTool } from "../tools/tool-finding.ts";
import { isServerName, mcpToolPattern, toForeignServerName } from "../tools/tool-name.ts";
import { offeredTools } from "../tools/tool-vocabulary.ts";
import { ownValue } from "../../source/own-value.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** Actions that are not tools. Cadre either lacks what they guard or confines it anyway. */
const noTools = new Set(["doom_loop", "external_directory", "execute"]);

/** Translates rules of OpenCode to denied tools, an allow list and ordered rules. */
export function toToolChoice(fields: Fields, rules: readonly OpenCodeRule[]): ToolChoice {
  if (rules.length === 0) return {};
  const decide = createRuleEvaluation(rules);
  const decisions = [...toolNames, ...serversIn(fields, rules)].map(decide);
  reportLess(fields, rules, decisions);
  reportOverruled(fields, rules);
  const others = decide("").effect;
  const own = decideOwnTools(fields, decide, others);
  // An allow list already names Cadre's own tools.
  const denied = decisions
    .filter((decision) => isDenied(decision) && (others !== "deny" || !isOwnTool(decision.tool)))
    .flatMap(({ tool }) => allNamesOf(tool))
    .concat(own.denied);
  const left = decisions.filter((decision) => !isDenied(decision));
  const agents = agentsIn(left);
  const ordered = order(
    left.filter(({ tool }) => agents === undefined || !isDelegating(tool)),
    others,
  ).concat(own.ordered);
  const tools = left.map(({ tool }) => nameOf(tool)).concat(own.tools);
  const named = rules.find(
    ({ action, effect }) => effect !== "deny" && action !== "*" && !noTools.has(action),
  );
  if (others === "deny" && tools.length === 0 && named !== undefined)
    fields.report(named.keys.slice(0, 1), {
      ...nothingResolves(String(named.keys[0]), !isServerName(named.action)),
      fix: 'Name an existing tool, such as `read`, or leave only `"*"` for an agent without tools.',
    });
  return {
    ...(others === "deny" && { tools }),
    ...(denied.length > 0 && { disallowedTools: denied }),
    ...omitUndefined({ agents }),
    ...(ordered.length > 0 && { permissions: { allow: [], ask: [], deny: [], ordered } }),
  };
}

/** Returns the program's tools: those that an allow list includes, those that are denied, and rules about the others. */
function decideOwnTools(
  { ownTools }: Fields,
  decide: (tool: string) => OpenCodeDecision,
  others: OpenCodeEffect,
): { tools: string[]; denied: string[]; ordered: OrderedRule[] } {
  const decisions = ownTools.map(decide);
  const left = decisions.filter((decision) => !isDenied(decision));
  const denied = decisions.filter((decision) => isDenied(decision));
  return {
    tools: left.map(({ tool }) => tool),
    denied: others === "deny" ? [] : denied.map(({ tool }) => tool),
    ordered: left.flatMap(({ tool, effect, exceptions }) => {
      const base: OrderedRule = { decision: effect, rule: tool };
      const rules = exceptions.flatMap((rule) => toOrderedRules(tool, [tool], rule));
      return effect === "allow" ? rules : [base].concat(rules);
    }),
  };
}

/** Returns the actions for tools of MCP servers, `SERVER_TOOL`, and reports unknown ones. */
function serversIn(fields: Fields, rules: readonly OpenCodeRule[]): string[] {
  const servers = new Set<string>();
  for (const { action, effect, keys } of rules) {
    if (servers.has(action) || action === "*" || noTools.has(action)) continue;
    if (fields.ownTools.includes(action)) continue;
    if (isKnownAction(action)) continue;
    const isServer = /^[\w.-]+_[\w.*-]*$|\*|^mcp/.test(action);
    if (offeredTools(action) !== undefined) {
      if (effect !== "deny") fields.report(keys, notOffered([action]));
      continue;
    }
    if (!isServer)
      fields.report(
        keys,
        effect === "deny" ? unknownDenied(action, fields.ownTools) : unknownTool(action),
      );
    // Older files name a server without a tool.
    if (isServer || effect === "deny" || isServerName(action)) servers.add(action);
  }
  return [...servers];
}

/** Returns Cadre's pattern for an allowed name: `SERVER_TOOL` or `SERVER_*`. */
function nameOf(tool: string): string {
  if (isOwnTool(tool) || tool.startsWith("mcp__")) return tool;
  if (tool === "mcp*" || tool === "mcp_*") return "mcp__*";
  const name = tool.replace(/^mcp_/, "");
  const [, server = name, rest = "*"] = /^([A-Za-z0-9.-]+)_(.+)$/.exec(name) ?? [];
  return mcpToolPattern(server.replace(/\*$/, ""), rest);
}

/** Returns every pattern that a restricted name can mean, because it is unknown where the server's name ends in it. */
function allNamesOf(tool: string): string[] {
  if (isOwnTool(tool) || /^mcp__[^*]*\*?$/.test(tool)) return [tool];
  const name = tool.replace(/^mcp_?(?=.)/, "");
  const star = name.indexOf("*");
  if (star !== -1) return [`mcp__${toForeignServerName(name.slice(0, star))}*`];
  const ends = [...name.matchAll(/_/g)].map(({ index }) => index).filter((at) => at > 0);
  if (ends.length === 0) return [mcpToolPattern(name)];
  return ends.map((at) => mcpToolPattern(name.slice(0, at), name.slice(at + 1)));
}

/** Returns the agents that the agent may delegate to, if the rules list them. */
function agentsIn(decisions: readonly OpenCodeDecision[]): string[] | undefined {
  const { effect, exceptions } = decisions.find(({ tool }) => isDelegating(tool)) ?? {};
  const isList = exceptions?.every(
    (rule) => rule.effect === "allow" && !/[*?]/.test(rule.resource),
  );
  return effect === "deny" && isList === true
    ? exceptions?.map(({ resource }) => resource)
    : undefined;
}

/** Orders rules: the base of each tool, then the exceptions in order, because a denied `Edit` also denies `Write`. */
function order(decisions: readonly OpenCodeDecision[], others: OpenCodeEffect): OrderedRule[] {
  const bases = decisions
    .filter(({ effect }) => effect !== "allow")
    .flatMap(({ tool, effect }) =>
      allNamesOf(tool).map((rule): OrderedRule => ({ decision: effect, rule })),
    );
  const rest: OrderedRule[] = others === "ask" ? [{ decision: "ask", rule: "mcp__*" }] : [];
  const exceptions = decisions
    .flatMap((own) =>
      [own, ...followed(own, decisions)].flatMap((from) => exceptionsFor(own.tool, from)),
    )
    .sort((first, second) => first.at - second.at);
  return [...rest, ...bases, ...exceptions.flatMap(({ rules }) => rules)];
}

function exceptionsFor(
  tool: string,
  { exceptions }: OpenCodeDecision,
): { at: number; rules: OrderedRule[] }[] {
  const names = allNamesOf(tool);
  return exceptions.map((rule) => ({ at: rule.at, rules: toOrderedRules(tool, names, rule) }));
}

/** Returns the decisions that also limit a tool without its own rules, because a search also reads files. */
function followed(
  own: OpenCodeDecision,
  decisions: readonly OpenCodeDecision[],
): OpenCodeDecision[] {
  if (own.effect !== "allow" || own.exceptions.length > 0) return [];
  return decisions.filter(
    ({ tool, effect }) =>
      effect !== "allow" &&
      isOwnTool(tool) &&
      ownValue(relatedTools, tool)?.includes(own.tool) === true,
  );
}
