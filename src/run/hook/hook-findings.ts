import type { Finding, Report, Severity } from "../../source/diagnostic.ts";
import type { KeyPath } from "../../source/position.ts";
import { guardingEvents, type HookEvent } from "./hook-commands.ts";

/** A part of the hooks of an event in a file. */
export interface HookEntry {
  event: HookEvent;
  keys: KeyPath;
  report: Report;
}

/** Reports that a hook is never called because of `keys`, a part of it. */
export function reportUnusable(
  { event, keys, report }: HookEntry,
  { keys: inner = [], problem, fix }: { keys?: KeyPath; problem: string; fix: string },
): void {
  const message = `${problem}. This hook at ${event} is never called.`;
  report([...keys, ...inner], { severity: severityAt(event), code: "hook-unusable", message, fix });
}

/** Returns the severity of a hook that is never called. The loss of a guard is an error. */
export function severityAt(event: HookEvent): Severity {
  return guardingEvents.has(event) ? "error" : "warning";
}

/** Reports a part of a hook that has no effect. */
export function reportNoEffect(
  { keys, report }: HookEntry,
  key: string,
  finding: Pick<Finding, "severity" | "message">,
): void {
  report([...keys, key], { code: "hook-field", fix: `Remove \`${key}\`.`, ...finding });
}
