import { createTrust } from "../../config/trust.ts";
import { addAllowRule, type RuleLocation } from "./allow-rule.ts";

/**
 * Adds an allow rule to the configuration of the project or the user. Returns a sentence that says where.
 *
 * @throws CadreError `config-invalid` for a file that is not valid.
 */
export async function saveAllowRule(
  rule: string,
  location: RuleLocation & { environment: Readonly<Record<string, string | undefined>> },
): Promise<string> {
  const path = await addAllowRule(rule, location);
  const isCounted = location.scope === "user" || createTrust(location).isTrusted(location.cwd);
  const unless = isCounted ? "" : " It takes effect once the folder is trusted: cadre trust";
  return `Added to permissions.allow in ${path}.${unless}`;
}
