// Events of pipelines: their names, and the chain of events that caused one.

import type { JsonObject } from "../../source/json.ts";
import { didYouMean, nearest } from "../../source/nearest.ts";

/** The events that the pipeline itself dispatches, in the order of a run. */
export const rootEvents = ["start", "task::start", "task::end", "end"] as const;

/** An event that the pipeline itself dispatches. */
export type RootEvent = (typeof rootEvents)[number];

/** An event that agents subscribe to. Agents emit namespaced events. */
export type PipelineEvent = RootEvent | `${string}::${string}`;

/** The maximum length of an event name, in characters. */
const maxEventLength = 200;
const namespacedPattern = "[A-Za-z0-9_@./-]+(?:::[A-Za-z0-9_@./-]+)+";
const namespaced = new RegExp(`^${namespacedPattern}$`);

/** The JSON Schema of an event that an agent may emit. */
export const emittedEventSchema: JsonObject = {
  type: "string",
  pattern: `^${namespacedPattern}$`,
  maxLength: maxEventLength,
  // The pattern already excludes root events without a namespace.
  not: { enum: rootEvents.filter((event) => namespaced.test(event)) },
};

/** The JSON Schema of an event that an agent may subscribe to. */
export const subscribedEventSchema: JsonObject = {
  type: "string",
  pattern: `^(?:${rootEvents.join("|")}|${namespacedPattern})$`,
  maxLength: maxEventLength,
};

/** Names of root events in other tools and in earlier versions. */
const otherNames: ReadonlyMap<string, RootEvent> = new Map([
  ["coder::start", "start"],
  ["coder::end", "end"],
  ["pre", "start"],
  ["post", "end"],
  ["pre_task", "task::start"],
  ["post_task", "task::end"],
]);

/** Reports whether the pipeline itself dispatches `event`. */
export function isRootEvent(event: string): event is RootEvent {
  return (rootEvents as readonly string[]).includes(event);
}

/** Explains why an agent cannot subscribe to `event`; `null` when it can. */
export function findSubscriptionProblem(event: string): string | null {
  return isRootEvent(event) || isNamespaced(event) ? null : expect(event, [...rootEvents]);
}

/** Explains why an agent cannot emit `event`; `null` when it can. Only the pipeline emits root events. */
export function findEmissionProblem(event: string): string | null {
  if (isRootEvent(event)) {
    return `Expected a namespaced event, such as \`my-agent::end\`; got \`${event}\`, which only the pipeline itself dispatches.`;
  }
  return isNamespaced(event) ? null : expect(event, []);
}

/** Returns the root event that a valid name most likely means, such as `start` for `coder::start`. */
export function findMeantRootEvent(event: string): RootEvent | null {
  if (isRootEvent(event)) return null;
  const lower = event.toLowerCase();
  return otherNames.get(lower) ?? (isRootEvent(lower) ? lower : null);
}

/**
 * Returns the root event that a valid name resembles, such as `task::end` for `taks::end`. Each part of the name must be similar.
 */
export function findSimilarRootEvent(event: string): RootEvent | null {
  const names = new Map([...rootEvents.map((root) => [root, root] as const), ...otherNames]);
  const parts = event.split("::");
  const isSimilar = (name: string): boolean => {
    const wanted = name.split("::");
    return (
      wanted.length === parts.length &&
      wanted.every((part, index) => nearest(parts[index] ?? "", [part]) !== null)
    );
  };
  const similar = [...names].find(([name]) => isSimilar(name));
  return isRootEvent(event) || similar === undefined ? null : similar[1];
}

function isNamespaced(event: string): boolean {
  return event.length <= maxEventLength && namespaced.test(event);
}

function expect(event: string, others: readonly RootEvent[]): string {
  const meant = others.length === 0 ? null : findMeantRootEvent(event);
  const isLong = event.length > maxEventLength;
  const hint = isLong
    ? ` It has ${event.length} characters; at most ${maxEventLength} are allowed.`
    : meant === null
      ? didYouMean(event, others)
      : ` Did you mean \`${meant}\`?`;
  const shown = event.length > 60 ? `${event.slice(0, 57)}…` : event;
  const or = others.length === 0 ? "" : `${others.map((name) => `\`${name}\``).join(", ")} or `;
  return `Expected ${or}a namespaced event, such as \`my-agent::end\`; got \`${shown}\`.${hint}`;
}
