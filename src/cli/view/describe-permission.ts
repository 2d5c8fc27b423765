import { cleanLine } from "../terminal/clean-text.ts";
import type { CallPermission, LevelDecision } from "../../host.ts";

/** Describes in lines who allowed or denied a call without a question, and what each permission level decided. */
export function describePermission(permission: CallPermission | undefined): string[] {
  // The journal may come from another version of Cadre.
  if (permission === undefined || !Array.isArray(permission.levels)) return [];
  const { levels, grant } = permission;
  if (grant !== undefined) {
    return [`   allowed by an earlier answer: ${cleanLine(grant)}`, ...describeLevels(levels, 1)];
  }
  const denial = levels.find(({ decision }) => decision === "deny");
  const [word, by] = denial === undefined ? ["allowed", levels[0]] : ["denied", denial];
  return [`   ${word} by ${cleanLine(by?.reason ?? "no level")}`, ...describeLevels(levels)];
}

/** Lists the decision of each permission level; nothing for fewer than `least` levels. */
export function describeLevels(levels: readonly LevelDecision[] = [], least = 2): string[] {
  if (levels.length < least) return [];
  return levels.map(
    ({ decision, reason }) => `     ${cleanLine(decision).padEnd(5)}  ${cleanLine(reason)}`,
  );
}
