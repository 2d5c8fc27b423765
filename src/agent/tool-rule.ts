import { homedir } from "node:os";
import { isRuleProblem, parseRule, relatedTools } from "../run/permission-rule.ts";
import type { OrderedRule } from "../run/permission.ts";
import { ownValue } from "../source/own-value.ts";

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
 * The permission rules for an entry such as `Bash(git:*, npm test)` or `Read(src/**)` of a tool list; each part of the
 * pattern is a rule of its own. Empty when the pattern is none that could match.
 */
export function toToolRules(tool: string, pattern: string): string[] {
  const parts = pattern.split(",").map((part) => part.trim());
  return parts.filter((part) => part !== "").flatMap((part) => toRules(tool, part));
}

/** The permission rules for one pattern of a tool, as Claude Code writes them; none when it could not match. */
export function toRules(tool: string, pattern: string): string[] {
  const rules = toPatterns(tool, pattern).map((one) => `${tool}(${one})`);
  return rules.filter((rule) => !isRuleProblem(parseRule(rule)));
}

/**
 * The ordered rules that limit tools to what their rules say. A tool that does the same as a limited one is limited
 * like it: `Read(src/**), Grep` would otherwise read everything by searching.
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
  // A skill is named, with its plugin before it, and is the file of that name.
  const isName = tool === "Skill" && !part.endsWith("/SKILL.md");
  return [isName ? `**/${part.replace(/^.*:/, "")}/SKILL.md` : part];
}

/** Paths as Claude Code writes them: `//` begins an absolute one, `/` is the project, a bare name is found anywhere. */
function toPathPatterns(written: string): string[] {
  const home = /^~(?=\/|$)/.test(written) ? homedir() + written.slice(1) : written;
  if (home.startsWith("//")) return [home.slice(1)];
  if (home !== written) return [home];
  const path = written.replace(/^(?:\.?\/)+/, "");
  const isName = !/\/./.test(path) && path === written;
  return isName && path !== "*" && path !== "**" ? [path, `**/${path}`] : [path];
}
