import { z } from "zod";

/** A command that is called at a point of runs. */
export interface HookCommand {
  /** For `/bin/sh`, in the workspace of the run. */
  command: string;
  /** How long it may take. Default 60. */
  timeoutSeconds?: number;
}

/** Commands for the events that a pattern matches. */
export interface HookGroup {
  /** A regular expression for the whole name of the tool, agent or source; absent, empty or `*`: all. */
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

/** The commands of each event. */
export type HooksConfig = Partial<Record<HookEvent, readonly HookGroup[]>>;

const command = z
  .strictObject({
    type: z.literal("command").optional(),
    command: z.string().min(1),
    timeout: z.number().positive().max(86_400).optional(),
  })
  .transform(({ command: text, timeout }): HookCommand =>
    timeout === undefined ? { command: text } : { command: text, timeoutSeconds: timeout },
  );

const matcher = z.string().refine(isPattern, "a regular expression is expected");

/** The schema of the commands of one event, as Claude Code writes them. */
export const hookGroups: z.ZodType<HookGroup[]> = z.array(
  z
    .strictObject({ matcher: matcher.optional(), hooks: z.array(command) })
    .transform(({ matcher: pattern, hooks }): HookGroup =>
      pattern === undefined ? { hooks } : { matcher: pattern, hooks },
    ),
);

/** Reports whether a group is for an event about `subject`. */
export function matchesGroup({ matcher: pattern = "" }: HookGroup, subject: string): boolean {
  if (pattern === "" || pattern === "*") return true;
  return new RegExp(`^(?:${pattern})$`).test(subject);
}

function isPattern(text: string): boolean {
  try {
    return text === "*" || new RegExp(text).source !== "";
  } catch {
    return false;
  }
}
