import { describeRuleProblem } from "../../run/permission-rule.ts";
import { shorten } from "../../source/read-value.ts";
import { delegatingNames, delegatingTools, resolveToolName } from "./tool-name.ts";
import { toRules } from "./tool-rule.ts";

/**
 * Returns Cadre's rules for a rule in another program's terms, such as `shell(git push:*)` or `Read(//etc/**)`. A tool that Cadre
 * does not offer needs none.
 */
export function translateRule(
  text: string,
  context: RuleContext,
): { rules: string[]; problem?: string } {
  const [, name = "", pattern] = /^\s*([^()]+?)\s*(?:\((.*)\))?\s*$/s.exec(text) ?? [];
  const tools = toolsNamed(name, context);
  if (tools === null) {
    const problem =
      describeRuleProblem(text, context.ownTools) ?? `There is no tool \`${shorten(name)}\`.`;
    return { rules: [], problem };
  }
  if (pattern === undefined || /^\s*\*{1,2}\s*$/.test(pattern)) return { rules: [...tools] };
  const rules = tools.flatMap((tool) => toRules(tool, pattern.trim()));
  if (rules.length > 0 || tools.length === 0) return { rules };
  const problem = `The pattern of \`${shorten(text)}\` cannot be understood, so it would match nothing.`;
  return { rules: [], problem };
}

/** The purpose of a rule. */
interface RuleContext {
  decision: "allow" | "ask" | "deny";
  /** The names of the program's tools. */
  ownTools: readonly string[];
}

function toolsNamed(name: string, { decision, ownTools }: RuleContext): readonly string[] | null {
  if (delegatingNames.has(name.toLowerCase())) return delegatingTools;
  const own = ownTools.filter((tool) => tool === name);
  if (own.length > 0 && decision === "allow") return own;
  const meaning = resolveToolName(name);
  if (meaning.kind === "all") return ["*"];
  if (meaning.kind === "mcp") return [meaning.pattern];
  // A restriction applies to everything that its author may have meant.
  if (meaning.kind === "tools") return [...own, ...meaning.tools];
  return own.length > 0 ? own : null;
}
