import { isAbsolute, relative } from "node:path";
import picomatch from "picomatch";
import { concernsCommand, coversCommand, explainUncovered } from "./command/match-command.ts";
import { isInside } from "./path-confinement.ts";
import { type PermissionRule, relatedTools } from "../run/permission-rule.ts";
import type { PermissionCall } from "./permission-call.ts";
import { escapeWildcards, matchesWildcard } from "./wildcard.ts";
import { ownValue } from "../source/own-value.ts";

/** Allowing is read narrowly, forbidding and asking widely: in doubt a call is not allowed. */
export type Reading = "narrow" | "wide";

/** Whether `rule` is about `call`. */
export function matchesRule(rule: PermissionRule, call: PermissionCall, reading: Reading): boolean {
  if (!matchesTool(rule.tool, call.tool, reading)) return false;
  const { pattern } = rule;
  if (pattern === null) return true;
  if (isExtensionTool(call.tool)) return matchesArguments(pattern, call.subject, reading);
  if (call.access === "execute") {
    return reading === "wide"
      ? concernsCommand(pattern, call.subject)
      : coversCommand(pattern, call.subject);
  }
  if (pattern.startsWith("domain:"))
    return matchesDomain(pattern.slice(7).trim(), call.subject, reading);
  if (call.access === "read" || call.access === "edit") return matchesPaths(pattern, call, reading);
  return matchesWildcard(pattern, call.subject);
}

/**
 * Why an allow rule whose text matches a command does not cover it, such as "git log --output writes or deletes files, which the
 * rule Bash(git log*) does not cover"; `undefined` when it does, or does not match.
 */
export function explainNarrow(
  { tool, pattern }: PermissionRule,
  call: PermissionCall,
): string | undefined {
  const isCommand = call.access === "execute" && !isExtensionTool(call.tool);
  if (!isCommand || pattern === null || !matchesTool(tool, call.tool, "narrow")) return undefined;
  return explainUncovered({ pattern, rule: `${tool}(${pattern})` }, call.subject);
}

/** The pattern that matches exactly this call. */
export function exactPattern(call: PermissionCall): string {
  const isFile = call.access === "read" || call.access === "edit";
  return isFile && !isExtensionTool(call.tool)
    ? call.subject.replaceAll(/[\\*?[\]{}()!+@|]/g, String.raw`\$&`)
    : escapeWildcards(call.subject);
}

/** Whether the pattern names one thing only. */
export function isExact(pattern: string | null): boolean {
  return pattern !== null && !hasGlob(pattern) && !pattern.endsWith("/");
}

/** Whether a rule for `pattern` is about calls of `tool`. */
export function matchesTool(pattern: string, tool: string, reading: Reading): boolean {
  if (matchesWildcard(pattern, tool)) return true;
  if (/^mcp__[^_]+(?:_[^_]+)*$/.test(pattern) && tool.startsWith(`${pattern}__`)) return true;
  return reading === "wide" && (ownValue(relatedTools, pattern) ?? []).includes(tool);
}

function isExtensionTool(tool: string): boolean {
  return tool.startsWith("mcp__");
}

/** The subject is the arguments as JSON. Forbidding also looks at each text in them by itself. */
function matchesArguments(pattern: string, subject: string, reading: Reading): boolean {
  if (matchesWildcard(pattern, subject)) return true;
  return reading === "wide" && textsIn(subject).some((text) => matchesWildcard(pattern, text));
}

function textsIn(json: string): string[] {
  const texts: string[] = [];
  JSON.parse(json, (_, value: unknown) => {
    if (typeof value === "string") texts.push(value);
    return value;
  });
  return texts;
}

function matchesDomain(pattern: string, url: string, reading: Reading): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, "") : null;
  const domain = pattern.toLowerCase();
  // What is no URL fails anyway; until then it is not allowed.
  if (host === null) return reading === "wide";
  if (matchesWildcard(domain, host)) return true;
  return reading === "wide" && host.endsWith(`.${domain}`);
}

function matchesPaths(pattern: string, call: PermissionCall, reading: Reading): boolean {
  const { paths, workspace } = call;
  if (paths === null || paths.length === 0) return reading === "wide";
  const matches = createPathMatcher(pattern, workspace, reading);
  return reading === "wide"
    ? paths.some((path) => matches(path))
    : paths.every((path) => matches(path));
}

/** Whether a path (absolute, resolved) is one that `pattern` is about. */
export function createPathMatcher(
  pattern: string,
  workspace: string,
  reading: Reading,
): (path: string) => boolean {
  const plain = pattern.replace(/^\.\//, "");
  const globs =
    reading === "wide" ? wideGlobs(plain) : [plain.endsWith("/") ? `${plain}**` : plain];
  const literal = hasGlob(plain) ? null : plain.replaceAll(/\\(.)/g, "$1");
  const isMatch = picomatch(globs, { dot: true, nocase: reading === "wide" });
  return (path) => {
    const named =
      isAbsolute(plain) || !isInside(path, workspace) ? path : relative(workspace, path) || ".";
    return named === literal || isMatch(named);
  };
}

/** A folder means what is in it, and a name without a folder means every file of that name, as in .gitignore. */
function wideGlobs(pattern: string): string[] {
  const name = pattern.replace(/\/$/, "");
  const anywhere = name.includes("/") ? [name] : [name, `**/${name}`];
  return anywhere.flatMap((glob) => [glob, `${glob}/**`]);
}

function hasGlob(pattern: string): boolean {
  return /[*?[\]{}()!+@|]/.test(pattern.replaceAll(/\\./g, ""));
}
