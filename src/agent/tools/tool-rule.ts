import { homedir } from "node:os";
import { isRuleProblem, parseRule, relatedTools } from "../../run/permission-rule.ts";
import type { OrderedRule } from "../../run/permission.ts";
import { ownValue } from "../../source/own-value.ts";

const fileTools: ReadonlySet<string> = new Set([
  "Read",
  "Edit",
  "Write",
  "Grep",
  "Glob",
  "LS",
  "DirectoryTree",
]);

/**
 * Returns the permission rules for an entry of a tool list such as `Bash(git:*, npm test)` or `Read(src/**)`, one for each part
 * of the pattern. Returns none for a pattern that cannot match anything.
 */
export function toToolRules(tool: string, pattern: string): string[] {
  const parts = pattern.split(",").map((part) => part.trim());
  return parts.filter((part) => part !== "").flatMap((part) => toRules(tool, part));
}

/** Returns the permission rules for one pattern in Claude Code's notation; none if it cannot match anything. */
export function toRules(tool: string, pattern: string): string[] {
  const rules = toPatterns(tool, pattern).map((one) => `${tool}(${one})`);
  return rules.filter((rule) => !isRuleProblem(parseRule(rule)));
}

/**
 * Returns ordered rules that limit tools, and related tools, to their patterns. Without the related tools, `Read(src/**), Grep`
 * would let a search read every file.
 */
export function limitTools(
  limited: ReadonlyMap<string, readonly string[]>,
  whole: ReadonlySet<string>,
): OrderedRule[] {
  const denials = [...limited.keys()].map((rule): OrderedRule => ({ decision: "deny", rule }));
  const exceptions = [...limited].flatMap(([tool, rules]) => {
    const others = (ownValue(relatedTools, tool) ?? []).filter((other) => whole.has(other));
    return [tool, ...others].flatMap((one) =>
      rules.map((rule) => `${one}${rule.slice(tool.length)}`),
    );
  });
  return [...denials, ...exceptions.map((rule): OrderedRule => ({ decision: "allow", rule }))];
}

function toPatterns(tool: string, part: string): string[] {
  if (fileTools.has(tool)) return toPathPatterns(part);
  // A skill has a name, prefixed with its plugin, and is the file with that name.
  const isName = tool === "Skill" && !part.endsWith("/SKILL.md");
  return [isName ? `**/${part.replace(/^.*:/, "")}/SKILL.md` : part];
}

/**
 * Translates Claude Code's paths: `//` starts an absolute path, `/` starts at the project, and a name alone matches in any
 * folder.
 */
function toPathPatterns(written: string): string[] {
  const home = /^~(?=\/|$)/.test(written) ? homedir() + written.slice(1) : written;
  if (home.startsWith("//")) return [home.slice(1)];
  if (home !== written) return [home];
  const path = written.replace(/^(?:\.?\/)+/, "");
  const isName = !/\/./.test(path) && path === written;
  return isName && path !== "*" && path !== "**" ? [path, `**/${path}`] : [path];
}
