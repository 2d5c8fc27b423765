import { basename } from "node:path/posix";
import { isRecord } from "../../source/json.ts";
import type { KeyPath } from "../../source/place.ts";
import { findSimilarRootEvent, findSubscriptionProblem, type RootEvent } from "./event-name.ts";

/** An event in `on` that is only a slip away from a root event. */
export interface SimilarEvent {
  /** Where in the list of entries. */
  keys: KeyPath;
  event: string;
  meant: RootEvent;
}

/**
 * Finds the events that entries run on and that were most likely meant as root events. Events in the namespace of an agent of the
 * list, whose `names` are given, may be called as they like.
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
