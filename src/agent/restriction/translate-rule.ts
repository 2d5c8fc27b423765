import { describeRuleProblem } from "../../run/permission-rule.ts";
import { shorten } from "../field-readers.ts";
import { delegatingNames, delegatingTools, resolveToolName } from "../tool-name.ts";
import { toRules } from "../tool-rule.ts";

/**
 * The rules of Cadre for one that is written in the words of another program, such as `shell(git push:*)` or `Read(//etc/**)`. A
 * tool of other programs that is not offered here needs no rule.
 */
export function translateRule(text: string): { rules: string[]; problem?: string } {
  const [, name = "", pattern] = /^\s*([^()]+?)\s*(?:\((.*)\))?\s*$/s.exec(text) ?? [];
  const tools = toolsNamed(name);
  if (tools === null) {
    const problem = describeRuleProblem(text) ?? `There is no tool \`${shorten(name)}\`.`;
    return { rules: [], problem };
  }
  if (pattern === undefined || /^\s*\*{1,2}\s*$/.test(pattern)) return { rules: [...tools] };
  const rules = tools.flatMap((tool) => toRules(tool, pattern.trim()));
  if (rules.length > 0 || tools.length === 0) return { rules };
  const problem = `The pattern of \`${shorten(text)}\` cannot be understood, so it would match nothing.`;
  return { rules: [], problem };
}

function toolsNamed(name: string): readonly string[] | null {
  if (delegatingNames.has(name.toLowerCase())) return delegatingTools;
  const meaning = resolveToolName(name);
  if (meaning.kind === "all") return ["*"];
  if (meaning.kind === "mcp") return [meaning.pattern];
  return meaning.kind === "tools" ? meaning.tools : null;
}
