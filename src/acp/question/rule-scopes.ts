/** The scope of a user's rule. */
export type AllowRuleScope = "session" | "project" | "user";

/** The scopes of rules, with their names in questions. */
export const ruleScopes: readonly { scope: AllowRuleScope; where: string }[] = [
  { scope: "session", where: "this session" },
  { scope: "project", where: "this project" },
  { scope: "user", where: "all your projects" },
];
