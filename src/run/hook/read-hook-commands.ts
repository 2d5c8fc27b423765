import { omitUndefined } from "../../omit-undefined.ts";
import type { Finding, Report } from "../../source/diagnostic.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../source/json.ts";
import { nearest } from "../../source/nearest.ts";
import { describeValue } from "../../source/read-value.ts";
import {
  createMatcher,
  eventsWithoutName,
  type HookCommands,
  type HookEvent,
  hookEvents,
  type HookGroup,
} from "./hook-commands.ts";
import { type HookEntry, reportNoEffect, reportUnusable, severityAt } from "./hook-findings.ts";
import { readHookCommand } from "./read-hook-command.ts";

/** Events of Claude Code that do not occur in Cadre. Some resemble Cadre's, but are not typos. */
const otherEvents: ReadonlySet<string> = new Set(
  "Setup UserPromptExpansion PermissionDenied PostToolUseFailure PostToolBatch Notification MessageDisplay TaskCreated TaskCompleted StopFailure TeammateIdle InstructionsLoaded ConfigChange CwdChanged DirectoryAdded FileChanged WorktreeCreate WorktreeRemove PostCompact Elicitation ElicitationResult PreModelSwitch PostModelSwitch".split(
    " ",
  ),
);

const groupFix = "Write `- { matcher: Bash, hooks: [{ type: command, command: ./check.sh }] }`";

/**
 * Reads hooks as Claude Code writes them: a map from events to groups of commands. Findings are reported by their keys. A hook that
 * Cadre cannot execute is left out: an error at events where it might refuse a call, a warning elsewhere.
 */
export function readHookCommands(value: JsonObject, report: Report): HookCommands {
  const commands: HookCommands = {};
  for (const [key, written] of Object.entries(value)) {
    if (!isHookEvent(key)) {
      report([key], unknownEvent(key));
      continue;
    }
    const groups = readHookGroups(written, { event: key, keys: [key], report });
    if (groups.length > 0) commands[key] = groups;
  }
  return commands;
}

/** Reads the groups of one event; see {@link readHookCommands}. */
export function readHookGroups(value: JsonValue, entry: HookEntry): HookGroup[] {
  const { keys } = entry;
  // A key without a value, as after commenting out everything below it, has no effect.
  if (value === null) return [];
  if (Array.isArray(value)) {
    return value.flatMap((group, index) => readGroup(group, { ...entry, keys: [...keys, index] }));
  }
  const problem = `Expected a list of groups, got ${describeValue(value)}`;
  reportUnusable(entry, { problem, fix: groupFix });
  return [];
}

function isHookEvent(name: string): name is HookEvent {
  return (hookEvents as readonly string[]).includes(name);
}

function unknownEvent(name: string): Finding {
  const meant = otherEvents.has(name) ? null : nearest(name, hookEvents);
  const isKnown = meant !== null && isHookEvent(meant);
  const hint = isKnown ? ` Did you mean \`${meant}\`?` : "";
  return {
    severity: isKnown ? severityAt(meant) : "warning",
    code: "hook-event",
    message: `\`${name}\` is not an event of runs in Cadre, so its hooks are never called.${hint}`,
    fix: isKnown ? `Write \`${meant}:\`` : `Use one of ${hookEvents.join(", ")}, or remove it.`,
  };
}

function readGroup(value: JsonValue, entry: HookEntry): HookGroup[] {
  const { keys } = entry;
  const group = isRecord(value) ? value : undefined;
  const { matcher = null, hooks: written, ...others } = group ?? {};
  if (!Array.isArray(written)) {
    const came = group === undefined ? describeValue(value) : `one without a list of \`hooks\``;
    reportUnusable(entry, { problem: `Expected a group of hooks, got ${came}`, fix: groupFix });
    return [];
  }
  for (const key of Object.keys(others)) {
    const message = `\`${key}\` is not a field of a group of hooks; it has no effect.`;
    reportNoEffect(entry, key, { severity: "warning", message });
  }
  const hooks = written.flatMap((hook, index) => {
    const read = readHookCommand(hook, { ...entry, keys: [...keys, "hooks", index] });
    return read === undefined ? [] : [read];
  });
  const pattern = readMatcher(matcher, entry);
  if (hooks.length === 0 || pattern === null) return [];
  return [{ ...omitUndefined({ matcher: pattern }), hooks }];
}

/** Returns `undefined` for a group that matches everything, and `null` for an unusable pattern. */
function readMatcher(matcher: JsonValue, entry: HookEntry): string | undefined | null {
  if (matcher === null || matcher === "" || matcher === "*") return undefined;
  if (typeof matcher !== "string" || !isPattern(matcher)) {
    const came = typeof matcher === "string" ? `\`${matcher}\`` : describeValue(matcher);
    const problem = `Expected \`matcher\` to be names such as \`Edit|Write\` or a regular expression, got ${came}`;
    const fix = "Correct `matcher`, or remove it to match all.";
    reportUnusable(entry, { keys: ["matcher"], problem, fix });
    return null;
  }
  if (!eventsWithoutName.has(entry.event)) return matcher;
  const message = `\`matcher\` has no effect at ${entry.event}, which always matches.`;
  reportNoEffect(entry, "matcher", { severity: "warning", message });
  return undefined;
}

function isPattern(matcher: string): boolean {
  try {
    createMatcher({ matcher });
    return true;
  } catch {
    return false;
  }
}
