import type { PermissionPolicy } from "../run/permission.ts";
import { isInside } from "./path-confinement.ts";
import { isRuleProblem, parseRule } from "../run/permission-rule.ts";
import { createPathMatcher, matchesTool } from "./rule-match.ts";
import { hiddenPaths } from "./secret-path.ts";

/**
 * Whether a file (absolute) may be searched as one of many: no deny or ask rule is about it, and it is not hidden.
 * Permission for a folder says nothing about the files in it that a rule names; nobody was asked about those.
 */
export function createSearchScope(
  tool: string,
  { policies, folder, workspace }: SearchPlace,
): (path: string) => boolean {
  const rules = policies.flatMap((policy) => [
    ...policy.rules.deny,
    ...policy.rules.ask,
    ...(policy.rules.ordered ?? []).flatMap((one) => (one.decision === "allow" ? [] : [one.rule])),
  ]);
  const guarded = rules.flatMap((rule) => {
    const parsed = parseRule(rule);
    if (isRuleProblem(parsed) || parsed.pattern === null) return [];
    if (!matchesTool(parsed.tool, tool, "wide")) return [];
    const matches = createPathMatcher(parsed.pattern, workspace, "wide");
    // A rule about the folder itself was decided, and answered, with the call.
    return matches(folder) ? [] : [matches];
  });
  const hidden = [...hiddenPaths()].filter(
    (one) => isInside(one, folder) && !isInside(workspace, one),
  );
  return (path) =>
    !guarded.some((matches) => matches(path)) && !hidden.some((one) => isInside(path, one));
}

/** Where is searched, and what the run that searches may do. */
export interface SearchPlace {
  policies: readonly PermissionPolicy[];
  /** The folder that is searched; absolute, resolved. */
  folder: string;
  workspace: string;
}
