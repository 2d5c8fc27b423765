/** For what a rule of the user counts. */
export type AllowRuleScope = "session" | "project" | "user";

/** For what rules may count, with their names in questions. */
export const ruleScopes: readonly { scope: AllowRuleScope; where: string }[] = [
  { scope: "session", where: "this session" },
  { scope: "project", where: "this project" },
  { scope: "user", where: "all your projects" },
];
