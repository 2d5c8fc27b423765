import { homedir } from "node:os";
import type { RuleScope } from "../terminal/question.ts";

/**
 * Adds an allow rule to the configuration of the project or the user. Returns a sentence that says where.
 *
 * @throws CadreError `config-invalid` when the file is invalid.
 */
export async function saveRule(rule: string, scope: Exclude<RuleScope, "family">): Promise<string> {
  const { saveAllowRule } = await import("../../host.ts");
  const project = { cwd: process.cwd(), home: homedir(), environment: process.env };
  return await saveAllowRule(rule, { ...project, scope });
}
