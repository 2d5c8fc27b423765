import type { OrderedRule } from "../../run/permission.ts";
import type { AgentDefinition } from "../definition/agent.ts";
import { limitTools, toToolRules } from "../tools/tool-rule.ts";

/** The patterns in tool lists with the effect of a definition's permission rules. */
export interface ToolPatterns {
  /** Returns the patterns of a tool in its list, such as `git:*`. */
  patternsOf(tool: string): string[];
  /** Entries of the list of denied tools, such as `Bash(rm:*)`. */
  denied: string[];
}

/**
 * Returns the patterns in tool lists that are equivalent to a definition's permission rules; `null` if none are.
 */
export function findToolPatterns({
  tools = [],
  permissions,
}: AgentDefinition): ToolPatterns | null {
  const rules = permissions?.ordered ?? [];
  const hasOther =
    permissions !== undefined &&
    [permissions.allow, permissions.ask, permissions.deny].some((list) => list.length > 0);
  if (hasOther) return null;
  const denied = rules.slice(
    rules.findLastIndex(({ decision, rule }) => decision === "allow" || !rule.includes("(")) + 1,
  );
  if (denied.some(({ decision }) => decision !== "deny")) return null;
  const own = rules.slice(0, rules.length - denied.length);
  const limited = new Map(
    own.flatMap(({ decision, rule }): [string, string[]][] =>
      decision === "deny" && tools.includes(rule) ? [[rule, rulesOf(rule, own)]] : [],
    ),
  );
  const whole = new Set(tools.filter((tool) => !limited.has(tool)));
  const patterns = [...limited].map(([tool, texts]): [string, string[]] => [
    tool,
    patternsIn(tool, texts),
  ]);
  const again = new Map(
    patterns.map(([tool, texts]) => [tool, texts.flatMap((text) => toToolRules(tool, text))]),
  );
  // An entry without patterns would grant the whole tool.
  if ([...again.values()].some((texts) => texts.length === 0)) return null;
  if (!isSame(limitTools(again, whole), own)) return null;
  const entries = denied.map(({ rule }) => rule);
  const isWritable = entries.every((rule) => {
    const [, tool = "", text = ""] = /^([\w*.-]+)\((.*)\)$/s.exec(rule) ?? [];
    // Denying `Agent` in a list denies every tool that delegates.
    return tool !== "Agent" && isSame(toToolRules(tool, text).map(asDenied), [asDenied(rule)]);
  });
  const byTool = new Map(patterns);
  return isWritable ? { patternsOf: (tool) => byTool.get(tool) ?? [], denied: entries } : null;
}

function rulesOf(tool: string, rules: readonly OrderedRule[]): string[] {
  return rules.flatMap(({ decision, rule }) =>
    decision === "allow" && rule.startsWith(`${tool}(`) ? [rule] : [],
  );
}

/** A pattern for a name in any folder comes from one entry and has two rules. */
function patternsIn(tool: string, rules: readonly string[]): string[] {
  const texts = rules.map((rule) => rule.slice(tool.length + 1, -1));
  return texts.filter(
    (text) => !texts.includes(text.replace(/^\*\*\//, "")) || !text.startsWith("**/"),
  );
}

function asDenied(rule: string): OrderedRule {
  return { decision: "deny", rule };
}

function isSame(left: readonly OrderedRule[], right: readonly OrderedRule[]): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
