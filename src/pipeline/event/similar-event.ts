import { basename } from "node:path/posix";
import { isRecord } from "../../source/json.ts";
import type { EntryFinding } from "../entry.ts";
import { findSimilarRootEvent, findSubscriptionProblem } from "./event-name.ts";

/**
 * Warns of events in `on` that are only a slip away from a root event: nothing else would say why the agent never runs. Events of
 * the agents themselves, whose `names` are given, may be called as they like.
 */
export function findSimilarEvents(
  entries: readonly unknown[],
  names: readonly string[],
): EntryFinding[] {
  const namespaces = new Set(names.map((name) => basename(name).replace(/\.\w+$/, "")));
  const isOwn = (event: string): boolean => namespaces.has(event.slice(0, event.lastIndexOf("::")));
  return entries.flatMap((entry, at) => {
    const on: unknown = isRecord(entry) ? entry["on"] : null;
    return [on].flat().flatMap((event, index) => {
      if (typeof event !== "string" || findSubscriptionProblem(event) !== null) return [];
      const meant = findSimilarRootEvent(event);
      if (meant === null || isOwn(event)) return [];
      return [warn(event, meant, Array.isArray(on) ? [at, "on", index] : [at, "on"])];
    });
  });
}

function warn(event: string, meant: string, keys: EntryFinding["keys"]): EntryFinding {
  return {
    keys,
    severity: "warning",
    code: "event-never-dispatched",
    message: `\`${event}\` runs only when an agent emits it: the pipeline's own event is \`${meant}\`. Did you mean \`${meant}\`?`,
    fix: `Write \`${meant}\`.`,
  };
}
