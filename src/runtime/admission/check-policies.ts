import { CadreError } from "../../errors.ts";
import { type PermissionPolicy, permissionModes } from "../../run/permission.ts";

/**
 * Returns the policy levels of a recorded run with the current one added. The strictest level applies, so a journal cannot widen
 * rights, and new rules take effect.
 *
 * @throws CadreError `invalid-argument` when the run had more rights than it would have now: it would end with other rights than
 * it started with.
 */
export function bindPolicies(
  recorded: readonly PermissionPolicy[],
  current: PermissionPolicy,
): readonly PermissionPolicy[] {
  const isBound = recorded.some((level) => isWithin(level, current));
  const [first] = recorded;
  if (!isBound) throw wider(first, current);
  const last = JSON.stringify(current);
  return recorded.some((level) => JSON.stringify(level) === last)
    ? recorded
    : [...recorded, current];
}

function isWithin({ mode, rules }: PermissionPolicy, current: PermissionPolicy): boolean {
  return rankOf(mode) <= rankOf(current.mode) && addedRules(rules, current).length === 0;
}

/** An unknown mode in a journal counts as the widest. */
function rankOf(mode: PermissionPolicy["mode"]): number {
  const rank = permissionModes.indexOf(mode);
  return rank < 0 ? permissionModes.length : rank;
}

/** The allow rules of a level that are no longer configured. */
function addedRules(rules: PermissionPolicy["rules"], current: PermissionPolicy): string[] {
  const ordered = (rules.ordered ?? []).filter(({ decision }) => decision === "allow");
  const allowing = [...rules.allow, ...ordered.map(({ rule }) => rule)];
  return allowing.filter((rule) => !current.rules.allow.includes(rule));
}

function wider(first: PermissionPolicy | undefined, current: PermissionPolicy): CadreError {
  if (first === undefined) {
    return new CadreError("invalid-argument", "Its journal has no permissions for it.");
  }
  const { mode, rules } = first;
  if (rankOf(mode) > rankOf(current.mode)) {
    const message = `It began in mode ${mode}, and the mode is now ${current.mode}. Add the option \`mode\` set to \`${mode}\` if it may continue in that mode (or set permissions.mode; in a project's configuration it takes effect only when the folder is trusted).`;
    return new CadreError("invalid-argument", message, { details: { mode } });
  }
  const added = addedRules(rules, current);
  const message = `It began with rules that are not configured now: ${added.join(", ")}. Add them to permissions.allow in ~/.cadre/config.yaml if it may continue with them (in a project's configuration they take effect only when the folder is trusted).`;
  return new CadreError("invalid-argument", message, { details: { rules: added } });
}
