import type { PermissionPolicy } from "../../run/permission.ts";
import { isInside } from "../../source/file/real-path.ts";
import { isRuleProblem, parseRule } from "../../run/permission-rule.ts";
import { createPathMatcher, matchesTool } from "../permission/rule-match.ts";
import { hiddenPaths } from "../path/secret-path.ts";

/**
 * Creates a predicate for the files (absolute) of a search in a folder: it excludes hidden files and those that a deny or ask rule
 * matches. Permission to search the folder does not extend to files that a rule names.
 */
export function createSearchScope(
  tool: string,
  { policies, folder, workspace }: SearchedFolder,
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
    // The permission of the call already covers a rule about the folder itself.
    return matches(folder) ? [] : [matches];
  });
  const hidden = [...hiddenPaths()].filter(
    (one) => isInside(one, folder) && !isInside(workspace, one),
  );
  return (path) =>
    !guarded.some((matches) => matches(path)) && !hidden.some((one) => isInside(path, one));
}

/** The searched folder and the permissions of the run. */
export interface SearchedFolder {
  policies: readonly PermissionPolicy[];
  /** The searched folder; absolute, resolved. */
  folder: string;
  workspace: string;
}
