import { basename } from "node:path/posix";
import { isRecord } from "../../source/json.ts";
import type { KeyPath } from "../../source/position.ts";
import { findSimilarRootEvent, findSubscriptionProblem, type RootEvent } from "./event-name.ts";

/** An event in `on` that resembles a root event. */
export interface SimilarEvent {
  /** Its place in the list of entries. */
  keys: KeyPath;
  event: string;
  meant: RootEvent;
}

/**
 * Finds the events of entries that most likely mean root events. Events in the namespace of a listed agent, by its name in
 * `names`, are never reported.
 */
export function findSimilarEvents(
  entries: readonly unknown[],
  names: readonly string[],
): SimilarEvent[] {
  const namespaces = new Set(names.map((name) => basename(name).replace(/\.\w+$/, "")));
  const isOwn = (event: string): boolean => namespaces.has(event.slice(0, event.lastIndexOf("::")));
  return entries.flatMap((entry, at) => {
    const on: unknown = isRecord(entry) ? entry["on"] : null;
    return [on].flat().flatMap((event, index): SimilarEvent[] => {
      if (typeof event !== "string" || findSubscriptionProblem(event) !== null) return [];
      const meant = findSimilarRootEvent(event);
      if (meant === null || isOwn(event)) return [];
      return [{ keys: Array.isArray(on) ? [at, "on", index] : [at, "on"], event, meant }];
    });
  });
}
