import { didYouMean } from "../source/nearest.ts";
import { toolNames } from "./tool-names.ts";

/** A parsed rule, such as `Bash(git status*)`. */
export interface PermissionRule {
  /** A tool's name, in which `*` matches anything. */
  tool: string;
  /** The text in the parentheses; `null` = every call of the tool. */
  pattern: string | null;
}

/** An invalid rule. */
export interface RuleProblem {
  rule: string;
  /** The expected and the given form. */
  message: string;
  /** The corrected rule. */
  fix: string;
}

/** The tools that a deny rule for another tool also covers, because they do the same. */
export const relatedTools: Readonly<Record<string, readonly string[]>> = {
  Read: ["Grep", "Glob", "LS", "DirectoryTree"],
  Edit: ["Write"],
  Write: ["Edit"],
};

const shape = /^([\w.*-]+)(?:\(([\s\S]*)\))?$/;

/** Parses a rule. */
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

/**
 * Describes the problem of a rule and its correction; `null` for a valid rule. `ownTools` are the program's tools, which a rule
 * may name like built-in ones.
 */
export function describeRuleProblem(rule: string, ownTools: readonly string[] = []): string | null {
  const parsed = parseRule(rule);
  if (isRuleProblem(parsed)) return `${parsed.message} Write ${parsed.fix}`;
  const { tool } = parsed;
  const known = [...toolNames, ...ownTools];
  const isKnown =
    tool.includes("*") || tool.startsWith("mcp__") || known.some((name) => name === tool);
  if (isKnown) return null;
  const problem = `There is no tool ${tool}, so this rule would match nothing.`;
  const hint = didYouMean(tool, known);
  const elsewhere = `Write \`${tool}*\` for a tool that only a program passes to createCadre.`;
  return `${problem}${hint || ` ${elsewhere}`} Tools: ${known.join(", ")}`;
}

/**
 * Reports whether a rule is valid except for its tool, which is unknown and resembles no known tool. A program may have a tool
 * with that name.
 */
export function isForAbsentTool(rule: string, ownTools: readonly string[] = []): boolean {
  const parsed = parseRule(rule);
  return (
    !isRuleProblem(parsed) &&
    describeRuleProblem(rule, ownTools) !== null &&
    didYouMean(parsed.tool, [...toolNames, ...ownTools]) === ""
  );
}

/** Returns the warning about an allow rule for which {@link isForAbsentTool} holds. */
export function describeAbsentTool(rule: string): string {
  return `There is no tool here for the rule ${JSON.stringify(rule)}, so it allows nothing except in a program that passes such a tool to createCadre.`;
}

/** Reports whether a rule is invalid. */
export function isRuleProblem(parsed: PermissionRule | RuleProblem): parsed is RuleProblem {
  return "message" in parsed;
}

function suggestion(text: string): string {
  const name = /[\w.*-]+/.exec(text)?.[0] ?? "Bash";
  const inner = /\(([^()]+)/.exec(text)?.[1]?.trim();
  return inner === undefined || inner === "" ? name : `${name}(${inner})`;
}
