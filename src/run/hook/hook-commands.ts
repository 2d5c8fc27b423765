// Commands that are called at points of runs, in Claude Code's terms.

/** A command that is called at a point of a run. */
export interface HookCommand {
  /** A shell command; with `args`, a program. */
  command: string;
  /** The arguments of the program, which is started without a shell. */
  args?: readonly string[];
  /** Absent = `/bin/sh`. */
  shell?: "bash";
  /** The time limit in seconds. Default 600. */
  timeoutSeconds?: number;
}

/** Commands for those occurrences of an event that a pattern matches. */
export interface HookGroup {
  /**
   * Compared with the name of the tool, agent or source. Absent, empty or `*`: all. Names separated by `|` or `,`: these. Anything
   * else: a regular expression for a part of the name.
   */
  matcher?: string;
  hooks: readonly HookCommand[];
}

/** The events of Claude Code for which Cadre calls commands. */
export const hookEvents = [
  "SessionStart",
  "UserPromptSubmit",
  "SubagentStart",
  "PreToolUse",
  "PostToolUse",
  "PermissionRequest",
  "PreCompact",
  "Stop",
  "SubagentStop",
  "SessionEnd",
] as const;

/** An event that calls hook commands. docs/hooks.md says when. */
export type HookEvent = (typeof hookEvents)[number];

/** The commands of each event. Plain JSON. */
export type HookCommands = Partial<Record<HookEvent, readonly HookGroup[]>>;

/** Events without a name to match against a pattern. */
export const eventsWithoutName: ReadonlySet<HookEvent> = new Set<HookEvent>([
  "UserPromptSubmit",
  "Stop",
]);

/**
 * Events at which a hook may refuse a call. A hook that fails to decide there refuses, because a failed guard must not allow
 * anything.
 */
export const guardingEvents: ReadonlySet<HookEvent> = new Set<HookEvent>([
  "PreToolUse",
  "PermissionRequest",
]);

/** Returns all commands with their events. */
export function listHookCommands(
  commands: HookCommands = {},
): { event: HookEvent; matcher: string | undefined; command: HookCommand }[] {
  return Object.entries(commands).flatMap(([event, groups]) =>
    groups.flatMap(({ matcher, hooks }) =>
      hooks.map((command) => ({ event: event as HookEvent, matcher, command })),
    ),
  );
}

/** Describes a command on one line, for display. */
export function showHookCommand({ command, args = [] }: HookCommand): string {
  return [command, ...args].join(" ");
}

/** A pattern that is a list of names, as Claude Code reads it. */
const listOfNames = /^[\w\- ,|]*$/;

/**
 * Creates the test of a group's pattern.
 *
 * @throws SyntaxError for an invalid regular expression.
 */
export function createMatcher({
  matcher = "",
}: Pick<HookGroup, "matcher">): (name: string) => boolean {
  if (matcher === "" || matcher === "*") return () => true;
  if (!listOfNames.test(matcher)) {
    const pattern = new RegExp(matcher);
    return (name) => pattern.test(name);
  }
  const names = new Set(matcher.split(/[|,]/).map((one) => one.trim()));
  return (name) => names.has(name);
}
