import { isAbsolute, relative } from "node:path";
import picomatch from "picomatch";
import { concernsCommand, coversCommand, explainUncovered } from "../command/match-command.ts";
import { isInside } from "../../source/file/real-path.ts";
import { type PermissionRule, relatedTools } from "../../run/permission-rule.ts";
import { isBuiltinTool } from "../../run/tool-names.ts";
import { isRecord } from "../../source/json.ts";
import type { PermissionCall } from "./permission-call.ts";
import { escapeWildcards, matchesWildcard } from "../path/wildcard.ts";
import { ownValue } from "../../source/own-value.ts";

/** How a rule is matched: narrowly to allow, widely to deny or ask, so that a doubtful call is not allowed. */
export type Reading = "narrow" | "wide";

/** Reports whether `rule` matches `call`. */
export function matchesRule(rule: PermissionRule, call: PermissionCall, reading: Reading): boolean {
  if (!matchesTool(rule.tool, call.tool, reading)) return false;
  const { pattern } = rule;
  if (pattern === null) return true;
  if (!isBuiltinTool(call.tool)) return matchesArguments(pattern, call.subject, reading);
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
 * Explains why an allow rule that matches a command does not cover it, such as "git log --output writes or deletes files, which
 * the rule Bash(git log*) does not cover"; `undefined` when it does cover it, or does not match.
 */
export function explainNarrow(
  { tool, pattern }: PermissionRule,
  call: PermissionCall,
): string | undefined {
  const isCommand = call.access === "execute" && isBuiltinTool(call.tool);
  if (!isCommand || pattern === null || !matchesTool(tool, call.tool, "narrow")) return undefined;
  return explainUncovered({ pattern, rule: `${tool}(${pattern})` }, call.subject);
}

/** Returns the pattern that matches exactly this call. */
export function exactPattern(call: PermissionCall): string {
  const isFile = call.access === "read" || call.access === "edit";
  return isFile && isBuiltinTool(call.tool)
    ? call.subject.replaceAll(/[\\*?[\]{}()!+@|]/g, String.raw`\$&`)
    : escapeWildcards(call.subject);
}

/** Reports whether the pattern matches a single subject only. */
export function isExact(pattern: string | null): boolean {
  return pattern !== null && !hasGlob(pattern) && !pattern.endsWith("/");
}

/** Reports whether a rule for `pattern` matches calls of `tool`. */
export function matchesTool(pattern: string, tool: string, reading: Reading): boolean {
  if (matchesWildcard(pattern, tool)) return true;
  if (/^mcp__[^_]+(?:_[^_]+)*$/.test(pattern) && tool.startsWith(`${pattern}__`)) return true;
  return reading === "wide" && (ownValue(relatedTools, pattern) ?? []).includes(tool);
}

/**
 * Matches the arguments of a tool that is not built in, which are a JSON object. `customer:4*` matches the argument `customer`,
 * any other pattern the whole JSON. A wide match also checks each text in the arguments.
 */
function matchesArguments(pattern: string, subject: string, reading: Reading): boolean {
  if (matchesWildcard(pattern, subject)) return true;
  const input: unknown = JSON.parse(subject);
  const [, name = "", rest = ""] = /^([\w-]+):(.*)$/s.exec(pattern) ?? [];
  const value = isRecord(input) ? ownValue(input, name) : undefined;
  if (value !== undefined && matchesValue(rest, value, reading)) return true;
  return reading === "wide" && textsIn(input).some((text) => matchesWildcard(pattern, text));
}

/** Matches one argument: text as it is, another value as JSON. */
function matchesValue(pattern: string, value: unknown, reading: Reading): boolean {
  if (matchesWildcard(pattern, typeof value === "string" ? value : JSON.stringify(value)))
    return true;
  return reading === "wide" && textsIn(value).some((text) => matchesWildcard(pattern, text));
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

function matchesDomain(pattern: string, url: string, reading: Reading): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, "") : null;
  const domain = pattern.toLowerCase();
  // An invalid URL fails later anyway; until then it is not allowed.
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

/** Creates a matcher of paths (absolute, resolved) for `pattern`. */
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

/**
 * Returns globs by the rules of .gitignore: a folder includes its contents, and a name without a folder matches in every folder.
 */
function wideGlobs(pattern: string): string[] {
  const name = pattern.replace(/\/$/, "");
  const anywhere = name.includes("/") ? [name] : [name, `**/${name}`];
  return anywhere.flatMap((glob) => [glob, `${glob}/**`]);
}

function hasGlob(pattern: string): boolean {
  return /[*?[\]{}()!+@|]/.test(pattern.replaceAll(/\\./g, ""));
}
