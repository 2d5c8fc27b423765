import type { AgentDefinition } from "../../agent/definition/agent.ts";
import type { PermissionPolicy } from "../../run/permission.ts";

/** Returns the policy level of a definition. A definition with rules and without a mode adds only its rules. */
export function ownPolicy({
  name,
  permissionMode,
  permissions,
}: Pick<AgentDefinition, "name" | "permissionMode" | "permissions">): PermissionPolicy[] {
  if (permissionMode === undefined && permissions === undefined) return [];
  const rules = permissions ?? { allow: [], ask: [], deny: [] };
  const from = `agent ${name}`;
  return permissionMode === undefined
    ? [{ mode: "auto", rules, from, hasOnlyRules: true }]
    : [{ mode: permissionMode, rules, from }];
}
