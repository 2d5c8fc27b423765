import { homedir } from "node:os";
import type { RuleScope } from "../terminal/question.ts";

/**
 * Adds an allow rule to the configuration of the project or the user, and says where.
 *
 * @throws CadreError `config-invalid` for a file that is not valid.
 */
export async function saveRule(rule: string, scope: Exclude<RuleScope, "family">): Promise<string> {
  const { addAllowRule, createTrust } = await import("../../host.ts");
  const [cwd, home] = [process.cwd(), homedir()];
  const path = await addAllowRule(rule, { scope, cwd, home });
  const isCounted =
    scope === "user" || createTrust({ home, environment: process.env }).isTrusted(cwd);
  const unless = isCounted ? "" : " It counts when the folder is trusted: cadre trust";
  return `Added to permissions.allow in ${path}.${unless}`;
}
