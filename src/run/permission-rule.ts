import { didYouMean } from "../source/nearest.ts";
import { toolNames } from "./tool-names.ts";

/** A rule such as `Bash(git status*)`, taken apart. */
export interface PermissionRule {
  /** A tool's name, with `*` for anything. */
  tool: string;
  /** What is in the parentheses; `null` = every call of the tool. */
  pattern: string | null;
}

/** A rule that cannot be understood. */
export interface RuleProblem {
  rule: string;
  /** What was expected and what came. */
  message: string;
  /** What to write instead. */
  fix: string;
}

/** Tools that a rule for another one forbids too, because they do the same. */
export const relatedTools: Readonly<Record<string, readonly string[]>> = {
  Read: ["Grep", "Glob", "LS", "DirectoryTree"],
  Edit: ["Write"],
  Write: ["Edit"],
};

const shape = /^([\w.*-]+)(?:\(([\s\S]*)\))?$/;

/** Takes a rule apart. */
export function parseRule(rule: string): PermissionRule | RuleProblem {
  const text = rule.trim();
  const match = shape.exec(text);
  const tool = match?.[1];
  if (tool === undefined) {
    const message = `A rule is written Tool or Tool(pattern), got ${JSON.stringify(rule)}.`;
    return { rule, message, fix: suggestion(text) };
  }
  const pattern = match?.[2];
  if (pattern === undefined) return { tool, pattern: null };
  if (pattern.trim() === "") {
    return {
      rule,
      message: `The pattern of ${JSON.stringify(rule)} is empty and would match nothing.`,
      fix: tool,
    };
  }
  if (tool === "WebFetch" && /^domain:\s*(?:$|.*[/\s:])/.test(pattern)) {
    const message = `A domain is expected after "domain:", got ${JSON.stringify(pattern)}.`;
    return { rule, message, fix: "WebFetch(domain:example.com)" };
  }
  return { tool, pattern: pattern === "*" || pattern === "**" ? null : pattern };
}

/** What is wrong with a rule that somebody wrote, and what to write instead; `null` when it can be used. */
export function describeRuleProblem(rule: string): string | null {
  const parsed = parseRule(rule);
  if (isRuleProblem(parsed)) return `${parsed.message} Write ${parsed.fix}`;
  const { tool } = parsed;
  const isKnown =
    tool.includes("*") || tool.startsWith("mcp__") || toolNames.some((name) => name === tool);
  if (isKnown) return null;
  const problem = `There is no tool ${tool}, so this rule would be about nothing.`;
  return `${problem}${didYouMean(tool, toolNames)} Tools: ${toolNames.join(", ")}`;
}

/** Whether a rule could not be understood. */
export function isRuleProblem(parsed: PermissionRule | RuleProblem): parsed is RuleProblem {
  return "message" in parsed;
}

function suggestion(text: string): string {
  const name = /[\w.*-]+/.exec(text)?.[0] ?? "Bash";
  const inner = /\(([^()]+)/.exec(text)?.[1]?.trim();
  return inner === undefined || inner === "" ? name : `${name}(${inner})`;
}
