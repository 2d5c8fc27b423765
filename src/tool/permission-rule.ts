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

/** What is wrong with `rules`, in order; empty when all can be understood. */
export function checkRules(rules: readonly string[]): RuleProblem[] {
  return rules.map((rule) => parseRule(rule)).filter((parsed) => isRuleProblem(parsed));
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
