import type { PermissionRules } from "../../run/permission.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** The result of reading the tool fields of a definition. */
export interface ToolChoice {
  tools?: readonly string[];
  disallowedTools?: readonly string[];
  /** From `Agent(x, y)` in `tools`. */
  agents?: readonly string[];
  /** From patterns such as `Bash(git:*)`. */
  permissions?: PermissionRules;
}

/** Combines two choices: the tools that both grant, without those that either denies. */
export function joinChoices(first: ToolChoice, second: ToolChoice): ToolChoice {
  const tools = intersect(first.tools, second.tools);
  const agents = intersect(first.agents, second.agents);
  const permissions = joinPermissions(first.permissions, second.permissions);
  const denied = [first.disallowedTools, second.disallowedTools].filter((one) => one !== undefined);
  return {
    ...omitUndefined({ tools }),
    ...(denied.length > 0 && { disallowedTools: [...new Set(denied.flat())] }),
    ...omitUndefined({ agents, permissions }),
  };
}

/** Combines the rules of both. The second choice's ordered rules come last. */
function joinPermissions(
  first: PermissionRules | undefined,
  second: PermissionRules | undefined,
): PermissionRules | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  const ordered = [...(first.ordered ?? []), ...(second.ordered ?? [])];
  return {
    allow: [...first.allow, ...second.allow],
    ask: [...first.ask, ...second.ask],
    deny: [...first.deny, ...second.deny],
    ...(ordered.length > 0 && { ordered }),
  };
}

function intersect(
  first: readonly string[] | undefined,
  second: readonly string[] | undefined,
): readonly string[] | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return first.filter((one) => second.includes(one));
}
