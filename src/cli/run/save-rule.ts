import { homedir } from "node:os";
import type { RuleScope } from "../terminal/question.ts";

/**
 * Adds an allow rule to the configuration of the project or the user, and says where.
 *
 * @throws CadreError `config-invalid` for a file that is not valid.
 */
export async function saveRule(rule: string, scope: Exclude<RuleScope, "family">): Promise<string> {
  const { saveAllowRule } = await import("../../host.ts");
  const project = { cwd: process.cwd(), home: homedir(), environment: process.env };
  return await saveAllowRule(rule, { ...project, scope });
}
